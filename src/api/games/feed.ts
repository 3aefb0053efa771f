import { isWithin } from '../../core/age.ts'
import type { FeedPlay } from '../../games/play-request.ts'
import { PLAYS_OF_GAME, savePlays } from '../../history/plays.ts'
import { logFault } from '../../log.ts'

/** How long plays wait for others, so that D1 receives many at once. The feed promises a play within two seconds. */
const FLUSH_MS = 1_000
/** A flush that has not begun after this long was cancelled with its request. */
const LOST_AFTER_MS = 1_500
/** Plays beyond this many are left for their ledgers to send. */
const MAX_WAITING = 5_000
let waiting: FeedPlay[] = []
let flushPlannedAt = -Infinity

/**
 * Sends a play to the feed, batched with the others of a second. This is only a shortcut: the ledger
 * later sends D1 any play left out or lost here, if the feed still shows it.
 */
export function publish(env: Env, context: Pick<ExecutionContext, 'waitUntil'>, play: FeedPlay) {
  if (waiting.length < MAX_WAITING) waiting.push(play)
  const now = Date.now()
  if (isWithin(LOST_AFTER_MS, flushPlannedAt, now)) return
  flushPlannedAt = now
  const passed = new Promise((resolve) => setTimeout(resolve, FLUSH_MS))
  context.waitUntil(passed.then(() => flush(env)))
}

/** Writes the newest of the waiting plays. If D1 doesn't accept them now, they go with the next flush. */
export async function flush(env: Env): Promise<void> {
  const plays = newestOf(waiting)
  waiting = []
  flushPlannedAt = -Infinity
  if (plays.length === 0) return
  try {
    await savePlays(env.HISTORY, plays)
  } catch (fault) {
    logFault('feed_write_failed', fault, { plays: plays.length })
    // They are older than the plays published meanwhile.
    if (waiting.length < MAX_WAITING) waiting.unshift(...plays.toReversed())
  }
}

/** Returns the newest plays of each game, newest first: as many as an answer can show. Each costs D1 a row. */
function newestOf(plays: readonly FeedPlay[]): FeedPlay[] {
  const counts = new Map<string, number>()
  return plays.toReversed().filter(({ game }) => {
    const count = (counts.get(game) ?? 0) + 1
    counts.set(game, count)
    return count <= PLAYS_OF_GAME
  })
}
