import { max } from '../core/bigint.ts'

/**
 * The number of past days whose debits a ledger still reports. A credit made just before midnight may be reversed
 * just before the next midnight, and reported after it.
 */
export const REPORTED_DAYS = 2

/** A partner's credits and debits in one token, on one UTC day or several, in smallest units. */
export interface CreditTotals {
  creditedWei: bigint
  debitedWei: bigint
}

/**
 * Returns the room that a limit leaves for a partner's credits: the limit plus its debits, less its credits; never
 * negative.
 */
export function leftOf({ creditedWei, debitedWei }: CreditTotals, limitWei: bigint): bigint {
  return max(0n, limitWei + debitedWei - creditedWei)
}
