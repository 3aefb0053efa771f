import { answerWithin, retried } from '../../calls/call.ts'
import { crashRound, crashTable } from '../../calls/objects.ts'
import { setBounded } from '../../core/bounded-map.ts'
import { refuse, type Refusal } from '../../core/refusal.ts'
import type { WholeRound } from '../../crash/disclosure.ts'
import type { RoundResult } from '../../crash/result.ts'
import { findRound } from '../../history/rounds.ts'
import { logFault } from '../../log.ts'
import { BriefCache } from '../http/brief-cache.ts'
import { limitNetwork } from '../http/rate-limits.ts'

/** How long a read waits for the history before it asks the table. */
const HISTORY_MS = 1_000
/** How long an isolate uses the number of the newest ended round. */
const NEWEST_MS = 1_000

/** How long an isolate uses a page of an ended round's bets. */
const PAGE_MS = 10_000
/** The number of pages that an isolate keeps. A full one takes about a megabyte. */
const MAX_PAGES = 8

const newest = new BriefCache<number>(NEWEST_MS)
/** By seed hash and first position, the latest asked for last. */
const pages = new Map<string, BriefCache<WholeRound | null>>()

/**
 * Returns the result of an ended round, or refuses. While the history is down or takes no writes, the table has it: a
 * house that discloses no ended rounds looks like one that hides them.
 */
export async function endedRound(
  env: Env,
  request: Request,
  roundId: number,
): Promise<RoundResult | Refusal> {
  const saved = await savedRound(env, roundId)
  if (saved) return saved
  // Anyone may ask for any number, so only numbers of ended rounds cost the table a call.
  const newestId = await newest.get('', () => retried(async () => crashTable(env).newestRoundId()))
  if (roundId > newestId) return NO_ENDED_ROUND
  const tooMany = await limitNetwork(env, request, 'endedRounds')
  if (tooMany) return tooMany
  return (await retried(async () => crashTable(env).endedRound(roundId))) ?? NO_ENDED_ROUND
}

/**
 * Returns the whole of an ended round with a page of its bets; null if it has erased itself. Each bet of a page costs
 * the round a hash, and it pays winners while most readers ask.
 */
export function wholeRound(
  env: Env,
  { roundId, seedHash, betCount }: RoundResult,
  from: number,
): Promise<WholeRound | null> {
  // All pages beyond the last bet are the same.
  const first = Math.min(from, betCount)
  const key = `${seedHash} ${first}`
  const page = pages.get(key) ?? new BriefCache<WholeRound | null>(PAGE_MS)
  setBounded(pages, key, page, MAX_PAGES)
  return page.get('', () => retried(async () => crashRound(env, roundId).whole(first)))
}

export const NO_ENDED_ROUND = refuse(
  'not_found',
  'No ended round has this number. If the round has just ended, try again in a moment.',
)

/** Returns an ended round from the history; null if it isn't there or the history can't be read. */
async function savedRound(env: Env, roundId: number): Promise<RoundResult | null> {
  try {
    return await answerWithin(HISTORY_MS, findRound(env.HISTORY, roundId))
  } catch (fault) {
    logFault('history_read_failed', fault, { list: 'rounds' })
    return null
  }
}
