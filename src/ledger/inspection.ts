import type { PerToken } from '../money/token.ts'
import type { Account, Posting } from './accounts.ts'
import type { Total } from './totals.ts'
import type { Withdrawal } from './withdrawal.ts'

/** An entry of a journal, without the parts that only its player may read. */
export interface InspectedEntry {
  seq: number
  /** In unix milliseconds. */
  at: number
  operationId: string
  postings: Posting[]
  hash: string
}

/** A wallet's ledger as operators see it. Amounts in smallest units. */
export interface Inspection {
  /** The number of entries in its journal. */
  entries: number
  balances: PerToken<Record<Account, string>>
  totals: PerToken<Record<Total, string>>
  openBets: number
  /** The newest first, at most ten. */
  withdrawals: Withdrawal[]
  isFrozen: boolean
  /** Credited transactions that the chain has dropped. Withdrawals wait for them. */
  missingDeposits: number
  /** A page, newest first. */
  journal: InspectedEntry[]
  /** The `before` of the next page; null on the last page. */
  next: number | null
}
