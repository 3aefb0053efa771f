import { refuse, type Refusal } from '../core/refusal.ts'

/** The size of a ledger's database, in bytes, at which it stops taking bets, plays and debits. */
export const LEDGER_LIMIT_BYTES = 8_000_000_000

/**
 * The size at which a ledger also refuses partners' credits and rollbacks. The platform's limit is 10 GB, and an
 * operation takes less than 1 kB. That leaves room for a million settlements, deposits and withdrawals, which must
 * never be refused.
 */
export const LEDGER_RESERVE_BYTES = 9_000_000_000

/** A journal with fewer entries than this is never full. It has about 100 MB. */
export const SMALL_JOURNAL_ENTRIES: number = 100_000

/** The most changes of limits and permissions by a wallet whose chips have never moved: they cost it nothing. */
export const MAX_FREE_ENTRIES = 200

/** A journal's entries are stored in segments of this many. */
export const SEGMENT_ENTRIES = 10_000

/**
 * The age of a segment's last entry, in milliseconds, at which the segment may go to the archive. Before,
 * calls are still being retried, and their repetitions should not need the archive.
 */
export const ARCHIVE_AFTER_MS = 600_000

/** The longest time that a movement may wait before it is sent to D1, in milliseconds. */
export const PROJECTION_DELAY_MS = 300_000

/**
 * Returns how long a wallet's movement waits before it is sent to D1, in milliseconds: half the longest time or more.
 * All bettors of a round move within seconds, so the ends of their addresses spread them. The house has no address.
 */
export function projectionDelayMs(wallet: string): number {
  const spread = (Number.parseInt(wallet.slice(-4), 16) || 0) / 0xffff
  return Math.round((PROJECTION_DELAY_MS * (1 + spread)) / 2)
}

export function addChipsFirst(): Refusal {
  return refuse(
    'ledger_full',
    `A wallet without chips may change its limits and permissions ${MAX_FREE_ENTRIES} times. Add chips, then try again.`,
  )
}

export function ledgerFull(): Refusal {
  return refuse(
    'ledger_full',
    "This wallet's journal is full, so it takes no new bets, plays or debits. Open bets still settle, and you can withdraw all chips. To keep playing, use another wallet.",
  )
}
