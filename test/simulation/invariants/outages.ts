import { MAX_SKEW_MS } from '../world/traits.ts'
import type { World } from '../world/world.ts'
import { rowsOf } from './rounds.ts'

/** What the calls and the alarms of the last tries may take. */
const SLACK_MS = 45_000

/**
 * Plans to check that what has failed during an outage is done soon after it, if nothing else fails: the pauses between
 * the tries of a message double, so that the last one is about as long as twice the outage at most.
 */
export function planRecovery(world: World): void {
  const { outage } = world.traits
  if (!outage?.isAlone) return
  const withinMs = 2 * outage.lastsMs + SLACK_MS
  const check = (since: number) => {
    // Nothing happens in a day that passes at once.
    if (world.nextDayAt > since) return plan(world.nextDayAt)
    // A delivered message stays until the next write, and is not due again.
    const after = world.scheduler.now + MAX_SKEW_MS
    for (const { className, name, path } of world.objects.all()) {
      const sql = `SELECT kind, attempts FROM outbox WHERE attempts > 0 AND due_at > ${after}`
      for (const { kind, attempts } of rowsOf(world, className, name, sql))
        world.violate(
          `${path} still waits with ${String(kind)} after ${String(attempts)} tries: ${outage.what} answers again`,
        )
    }
  }
  const plan = (since: number) =>
    world.scheduler.after(withinMs, 'check after the outage', null, () => check(since))
  plan(world.scheduler.now)
}
