import { refuse, type Refusal } from '../core/refusal.ts'

/**
 * The size of a ledger's database, in bytes, at which it stops taking bets, plays and debits. The
 * platform's limit is 10 GB. An operation takes about 1 kB, so this leaves room for two million
 * settlements, credits, rollbacks and withdrawals, which must never be refused.
 */
export const LEDGER_LIMIT_BYTES = 8_000_000_000

export function ledgerFull(): Refusal {
  return refuse(
    'ledger_full',
    "This wallet's journal is full, so it takes no new bets, plays or debits. Open bets still settle, and you can withdraw all chips. To keep playing, use another wallet.",
  )
}
