import { max } from '../core/bigint.ts'
import { MINUTE_MS } from '../core/utc-day.ts'
import type { Head } from '../ledger/head.ts'
import { perToken, type PerToken } from '../money/token.ts'
import { usedOf, type JournalTimes } from './check.ts'
import type { Limit } from './limit.ts'
import { lost, wagered } from './measure.ts'
import { exclusionEnd, isExcluded, type Protection } from './protection.ts'

/** A player's protection as they see it. */
export interface ShownProtection {
  limits: (Limit & {
    /** The amount used in the window: smallest units, negative for a player who has won, or whole minutes. */
    used: string
  })[]
  excluded: boolean
  /** When the exclusion ends, in unix milliseconds; null without one, and without an end. */
  excludedUntil: number | null
  session: ShownSession
  realityCheckMinutes: number | null
}

/** A player's stakes since they began to play. */
export interface ShownSession {
  /** In unix milliseconds; null if the player isn't playing. */
  startedAt: number | null
  /** Stakes and debits, in smallest units. */
  wagered: PerToken<string>
  /** Payouts and credits less stakes and debits, in smallest units. Open stakes count as lost. */
  net: PerToken<string>
}

/** A player's session as their journal has it. */
interface Session {
  /** In unix milliseconds. */
  startedAt: number
  /** The journal's head before that. */
  before: Head
}

const NO_SESSION: ShownSession = {
  startedAt: null,
  wagered: perToken(() => '0'),
  net: perToken(() => '0'),
}

/**
 * Returns a player's protection as they see it.
 * @param session null outside one
 * @param now in unix milliseconds
 */
export function shownProtection(
  protection: Protection,
  journal: JournalTimes,
  session: Session | null,
  now: number,
): ShownProtection {
  return {
    limits: protection.limits.map((limit) => {
      const used = usedOf(limit, journal, now)
      const shown =
        limit.token === null ? (used + BigInt(MINUTE_MS) - 1n) / BigInt(MINUTE_MS) : used
      return { ...limit, used: shown.toString() }
    }),
    excluded: isExcluded(protection, now),
    excludedUntil: exclusionEnd(protection, now),
    session: shownSession(journal, session),
    realityCheckMinutes: protection.realityCheckMinutes,
  }
}

function shownSession(journal: JournalTimes, session: Session | null): ShownSession {
  if (!session) return NO_SESSION
  const { startedAt, before } = session
  const after = journal.latest()
  return {
    startedAt,
    wagered: perToken((token) =>
      max(0n, wagered(after, token) - wagered(before, token)).toString(),
    ),
    net: perToken((token) => (lost(before, token) - lost(after, token)).toString()),
  }
}
