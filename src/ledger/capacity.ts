import { refuse, type Refusal } from '../core/refusal.ts'
import { DAY_MS, MINUTE_MS } from '../core/utc-day.ts'

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

/**
 * The most changes of limits and permissions by a wallet whose chips have never moved: they cost it nothing. Other
 * wallets may make as many of their limits, and of each permission, in 24 hours.
 */
export const MAX_FREE_ENTRIES = 200

/** After that many changes, a player can still tighten their limits once in this time, in milliseconds. */
const TIGHTER_EVERY_MS = MINUTE_MS

/** When a wallet has made some of its changes of limits, or of one permission, in unix milliseconds. */
interface PastChanges {
  /** The change that was made {@link MAX_FREE_ENTRIES} changes ago; null without one. */
  earlierAt: number | null
  latestAt: number | null
}

/**
 * Refuses a change that moves no chips, and so costs its wallet nothing, if there were too many in 24 hours.
 * @param isTighter whether it only protects the player more
 */
export function checkFreeEntry(
  { earlierAt, latestAt }: PastChanges,
  isTighter: boolean,
  now: number,
): Refusal | null {
  if (earlierAt === null || now >= earlierAt + DAY_MS) return null
  const from = isTighter ? (latestAt ?? 0) + TIGHTER_EVERY_MS : earlierAt + DAY_MS
  return now >= from ? null : tooManyChanges(from - now)
}

/** A journal's entries are stored in segments of this many. */
export const SEGMENT_ENTRIES = 10_000

/**
 * The age of a segment's last entry, in milliseconds, at which the segment may go to the archive. Until then, calls are
 * still being retried, and repeated calls should not need the archive.
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

export const ADD_CHIPS_FIRST = refuse(
  'ledger_full',
  `A wallet without chips may change its limits and permissions ${MAX_FREE_ENTRIES} times. Add chips, then try again.`,
)

function tooManyChanges(waitMs: number): Refusal {
  const retryAfterSeconds = Math.ceil(waitMs / 1_000)
  return refuse(
    'rate_limited',
    `This wallet has changed its limits or a permission ${MAX_FREE_ENTRIES} times within 24 hours. Try again in ${retryAfterSeconds} seconds. You can exclude yourself and revoke permissions at any time, and tighten limits once a minute.`,
    { retryAfterSeconds },
  )
}

export const LEDGER_FULL = refuse(
  'ledger_full',
  "This wallet's journal is full, so it takes no new bets, plays or debits. Open bets still settle, and you can withdraw all chips. One more play may be accepted, which makes room within minutes. If it is refused, use another wallet.",
)
