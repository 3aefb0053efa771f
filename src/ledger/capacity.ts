import { refuse, type Refusal } from '../core/refusal.ts'

/**
 * The size of a ledger's database, in bytes, from which it takes no more bets, plays and debits. The
 * platform ends at 10 GB. An operation takes about 1 kB, so this leaves room for two million of what
 * must never be refused: settlements, credits, rollbacks and withdrawals.
 */
export const LEDGER_LIMIT_BYTES = 8_000_000_000

/** Refuses what would add to a full journal. */
export function ledgerFull(): Refusal {
  return refuse(
    'ledger_full',
    'The journal of this wallet is full, so it takes no new bets, plays or debits. Open bets still settle, and all chips can be withdrawn. To play on, use another wallet.',
  )
}
