import { retried } from '../../src/calls/call.ts'
import { partnerLimit } from '../../src/calls/objects.ts'
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
 * Reserves room for a credit, on the first of its days that has enough. Safe to repeat.
 * @returns null once it is reserved; otherwise a refusal, which names the most that any of the days has left
 * @throws if the limit doesn't answer
 */
export async function reserveCredit(
  { env, wallet, journal }: LedgerKernel,
  { vaultTransactions, debits }: { vaultTransactions: VaultTransactions; debits: Debits },
  { id, partner, token, amountWei, limits, days }: Credit,
): Promise<Refusal | null> {
  let mostWei = 0n
  const { totalWei = null, newPlayers = null } = limits
  const isNew = !hasMoved(journal.latest()) && !vaultTransactions.hasAny()
  for (const day of days) {
    const { isGranted, leftWei, hasTooManyNew } = await retried(async () =>
      partnerLimit(env, partner).reserve({
        id,
        day,
        token,
        amountWei,
        wallet,
        debitedWei: debits.ofDay(partner, token, day),
        limitWei: limits.dayWei,
        totalLimitWei: totalWei,
        // Just after midnight, the latest debits of the day before have not been reported yet.
        ...(totalWei !== null && { debitedBeforeWei: debits.ofDay(partner, token, day - 1) }),
        newPlayers: isNew ? newPlayers : null,
      }),
    )
    if (isGranted) return null
    if (hasTooManyNew) return TOO_MANY_NEW_PLAYERS
    mostWei = max(mostWei, leftWei)
  }
  return creditAbove(mostWei)
}
