import { messageOf } from '../../core/fault.ts'
import { SECOND_MS } from '../../core/utc-day.ts'
import type { Check } from '../../fairness/check.ts'
import { LONGEST_GAME_MS } from '../../games/mines/open.ts'
import type { Receipt } from '../../receipts/claims.ts'
import { LONGEST_BETTING_MS } from '../../verify/logged-round.ts'
import type { GameEnd } from '../../verify/receipt.ts'
import { LogUnavailable } from '../monitor/log-reader.ts'
import { ServiceError, Unreachable } from '../shared/client.ts'
import { CommandError } from '../shared/terminal.ts'
import { LONGEST_FLIGHT_MS } from './logged-round.ts'
import { LogBroken } from './site-log.ts'

/** The disclosures of a receipt's site about it. */
export interface SiteDisclosure {
  checks: Check[]
  /** The multiplier at which the player of a bet cashed out, by the disclosure; null if nobody says so. */
  claimedCashout: number | null
  /** Whether it is a bet whose round was voided; absent if it isn't known. */
  isVoided?: boolean
  /** How a game of mines ended; null if it is of anything else, absent if it isn't known. */
  gameEnd?: GameEnd | null
  /** Why there are no more checks; null if there are all. */
  waiting: string | null
  /** Whether the site could not be reached, so that nothing is known. */
  isUnreached: boolean
}

/** A play is disclosed in its answer. */
const PLAY_MS = 60_000

/** Returns until when a receipt's disclosure may be missing. @param betsCloseAt of its round, if known */
export function disclosedBy({ kind, iat }: Receipt, betsCloseAt: number | null): number {
  const takenAt = iat * SECOND_MS
  if (kind === 'play') return takenAt + PLAY_MS
  if (kind === 'mines-open' || kind === 'mines-pick') return takenAt + LONGEST_GAME_MS
  return Math.min(betsCloseAt ?? takenAt, takenAt + LONGEST_BETTING_MS) + LONGEST_FLIGHT_MS
}

/**
 * Returns why a receipt from the future proves nothing: no disclosure would be due, and no count of debts would have to
 * include it, until its date. Null if it is not dated ahead.
 * @param now by this machine's clock, in unix milliseconds
 */
export function datedAhead({ iat }: Receipt, now: number): string | null {
  const isAhead = iat * SECOND_MS > now + PLAY_MS
  return isAhead ? "It is dated later than this machine's clock. Check the clock." : null
}

/**
 * Returns the verdict on a disclosure that could not be read.
 * @param checks the earlier checks
 * @param now by this machine's clock, in unix milliseconds
 */
export function withoutDisclosure(
  fault: unknown,
  receipt: Receipt,
  { checks, betsCloseAt, now }: { checks: Check[]; betsCloseAt: number | null; now: number },
): SiteDisclosure {
  const why = messageOf(fault)
  const failed = (claim: string): SiteDisclosure => ({
    checks: [...checks, { claim, holds: false }],
    claimedCashout: null,
    waiting: null,
    isUnreached: false,
  })
  if (isUnreached(fault)) {
    return {
      checks,
      claimedCashout: null,
      waiting: `The site could not be reached: ${why}`,
      isUnreached: true,
    }
  }
  if (fault instanceof LogBroken) return failed(`the public log can be believed: ${why}`)
  // A round that no honest house discloses can't be replayed.
  if (!(fault instanceof CommandError)) return failed(`the disclosure can be computed: ${why}`)
  const ahead = datedAhead(receipt, now)
  if (ahead !== null) {
    return { checks, claimedCashout: null, waiting: `${ahead} ${why}`, isUnreached: true }
  }
  if (now <= disclosedBy(receipt, betsCloseAt)) {
    return { checks, claimedCashout: null, waiting: `Not yet: ${why}`, isUnreached: false }
  }
  return failed(`the house discloses what it signed; it signed this and does not: ${why}`)
}

/** Returns whether a fault says only that a site could not be asked, which proves nothing about it. */
export function isUnreached(fault: unknown): boolean {
  if (fault instanceof ServiceError) return fault.status >= 500 || fault.status === 429
  return fault instanceof Unreachable || fault instanceof LogUnavailable
}
