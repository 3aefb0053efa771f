import { retried } from '../../src/calls/call.ts'
import { daybook, reprojection } from '../../src/calls/objects.ts'
import { done, notDone, type ActResult } from '../../src/operator/act.ts'

/** The prefix of a target that names a day of the books. */
const BOOKS = 'books:'

/**
 * Makes all objects send their data again, or the books of one day be counted again. Safe to repeat.
 * @param at when the act was decided, in unix milliseconds
 */
export async function reproject(env: Env, target: string, at: number): Promise<ActResult> {
  if (target.startsWith(BOOKS)) return countBooks(env, target.slice(BOOKS.length))
  const scope = target === 'everything' ? target : 'positions'
  await reprojection(env).start(scope, at)
  return done(
    'All objects are sending their data again. Bets resume once every ledger has sent its balances.',
  )
}

async function countBooks(env: Env, day: string): Promise<ActResult> {
  const refusal = await retried(async () => daybook(env).count(day))
  return refusal ? notDone(refusal.error.message) : done(`The books of ${day} are being counted.`)
}
