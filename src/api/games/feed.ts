import type { FeedPlay } from '../../games/placement.ts'
import { PLAYS_OF_GAME, savePlays } from '../../history/plays.ts'
import { logFault } from '../../log.ts'

/** How long plays wait for others, so that D1 receives many at once. */
const FLUSH_MS = 500
/** A flush that has not begun after this long was cancelled with its request. */
const LOST_AFTER_MS = 1_000
/** Plays beyond this many are left for their ledgers to send. */
const MAX_WAITING = 5_000
const PLAYS_PER_STATEMENT = 200

let waiting: FeedPlay[] = []
let flushPlannedAt = -Infinity

/**
 * Sends a play to the feed, batched with the others of half a second. This is only a shortcut: the ledger
 * later sends D1 any play lost here.
 */
export function publish(env: Env, context: Pick<ExecutionContext, 'waitUntil'>, play: FeedPlay) {
  if (waiting.length < MAX_WAITING) waiting.push(play)
  const now = Date.now()
  if (now >= flushPlannedAt && now - flushPlannedAt < LOST_AFTER_MS) return
  flushPlannedAt = now
  const passed = new Promise((resolve) => setTimeout(resolve, FLUSH_MS))
  context.waitUntil(passed.then(() => flush(env)))
}

/** Writes the waiting plays. Any that D1 doesn't accept now go with the next flush. */
export async function flush(env: Env): Promise<void> {
  const plays = shownOf(waiting)
  waiting = []
  flushPlannedAt = -Infinity
  for (let from = 0; from < plays.length; from += PLAYS_PER_STATEMENT) {
    const batch = plays.slice(from, from + PLAYS_PER_STATEMENT)
    try {
      await savePlays(env.HISTORY, batch)
    } catch (fault) {
      logFault('feed_write_failed', fault, { plays: batch.length })
      // Batches go newest first, so each is older than those that failed before, or were published meanwhile.
      if (waiting.length < MAX_WAITING) waiting.unshift(...batch.toReversed())
    }
  }
}

/** Returns plays newest first, without those of a game that newer ones of the same flush would push off the list. */
function shownOf(plays: readonly FeedPlay[]): FeedPlay[] {
  const counts = new Map<string, number>()
  return plays.toReversed().filter(({ game }) => {
    const count = (counts.get(game) ?? 0) + 1
    counts.set(game, count)
    return count <= PLAYS_OF_GAME
  })
}
