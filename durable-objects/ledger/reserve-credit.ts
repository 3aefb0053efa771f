import { retried } from '../../src/calls/call.ts'
import { partnerIds, partnerLimit } from '../../src/calls/objects.ts'
import { max } from '../../src/core/bigint.ts'
import type { Refusal } from '../../src/core/refusal.ts'
import { hasMoved } from '../../src/ledger/totals.ts'
import { creditAbove, TOO_MANY_NEW_PLAYERS, type CreditLimits } from '../../src/ledger/transfer.ts'
import type { Token } from '../../src/money/token.ts'
import type { Debits } from './debits.ts'
import type { LedgerKernel } from './kernel.ts'
import type { VaultTransactions } from './vault-transactions.ts'

/** A credit that needs room in its partner's limits. */
export interface Credit {
  id: string
  partner: string
  token: Token
  amountWei: bigint
  limits: CreditLimits
  /** The days whose limit may count it, in days since 1970-01-01, the preferred one first. */
  days: readonly number[]
}

/**
 * Reserves room for a credit, on the first of its days that has enough, and has the partner list a new player. Safe to
 * repeat; the ledger need not be open.
 * @returns null once it is reserved; otherwise a refusal, which names the most that any of the days has left
 * @throws if the limit or the list doesn't answer
 */
export async function reserveCredit(
  kernel: LedgerKernel,
  { vaultTransactions, debits }: { vaultTransactions: VaultTransactions; debits: Debits },
  { id, partner, token, amountWei, limits, days }: Credit,
): Promise<Refusal | null> {
  const { env, wallet, journal } = kernel
  let mostWei = 0n
  const { totalWei, newPlayers } = limits
  const isNew = !kernel.isOpen || (!hasMoved(journal.latest()) && !vaultTransactions.hasAny())
  const debitedWei = (day: number) => (kernel.isOpen ? debits.ofDay(partner, token, day) : 0n)
  for (const day of days) {
    const { isGranted, leftWei, hasTooManyNew } = await retried(async () =>
      partnerLimit(env, partner).reserve({
        id,
        day,
        token,
        amountWei,
        wallet,
        debitedWei: debitedWei(day),
        limitWei: limits.dayWei,
        totalLimitWei: totalWei,
        // Just after midnight, the latest debits of the day before have not been reported yet.
        debitedBeforeWei: totalWei === null ? 0n : debitedWei(day - 1),
        newPlayers: isNew ? newPlayers : null,
      }),
    )
    if (isGranted) {
      // Before it gets chips, so that its position can be asked for after D1 has lost it.
      if (isNew) await retried(async () => partnerIds(env, partner, id).addPlayer(wallet))
      return null
    }
    if (hasTooManyNew) return TOO_MANY_NEW_PLAYERS
    mostWei = max(mostWei, leftWei)
  }
  return creditAbove(mostWei)
}
