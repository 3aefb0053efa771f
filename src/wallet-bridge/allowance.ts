import { max } from '../core/bigint.ts'

/** A partner's credits and debits in one token on one UTC day, in smallest units. */
export interface DayTotals {
  creditedWei: bigint
  debitedWei: bigint
}

/** Returns a partner's remaining credit for a day: the limit plus its debits, less its credits; never negative. */
export function leftToday({ creditedWei, debitedWei }: DayTotals, dayLimitWei: bigint): bigint {
  return max(0n, dayLimitWei + debitedWei - creditedWei)
}
