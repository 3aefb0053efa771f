import { max } from '../../src/core/bigint.ts'
import type { CreditLimits } from '../../src/ledger/transfer.ts'
import type { Token } from '../../src/money/token.ts'
import { partnerLimit, retried } from '../../src/objects.ts'
import type { Books } from './books.ts'
import type { Debits } from './debits.ts'

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
 * @returns null once it is reserved; otherwise the most that any of the days has left, in smallest units
 * @throws if the limit doesn't answer
 */
export async function reserveCredit(
  { env, wallet }: Books,
  debits: Debits,
  { id, partner, token, amountWei, limits, days }: Credit,
): Promise<bigint | null> {
  let mostWei = 0n
  const { totalWei = null } = limits
  for (const day of days) {
    const { isGranted, leftWei } = await retried(async () =>
      partnerLimit(env, partner).reserve({
        ...{ id, day, token, amountWei, wallet },
        debitedWei: debits.ofDay(partner, token, day),
        limitWei: limits.dayWei,
        totalLimitWei: totalWei,
        // Just after midnight, the latest debits of the day before have not been reported yet.
        ...(totalWei !== null && { debitedBeforeWei: debits.ofDay(partner, token, day - 1) }),
      }),
    )
    if (isGranted) return null
    mostWei = max(mostWei, leftWei)
  }
  return mostWei
}
