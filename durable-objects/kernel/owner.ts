import { health } from '../../src/calls/objects.ts'
import { isWithin } from '../../src/core/age.ts'

/** An object reports its stuck messages at most this often, and at once when the last one has been delivered. */
const REPORT_EVERY_MS = 60_000

/** The object that messages belong to: its name in log lines, and its reports to {@link health}. */
export interface Owner {
  /** Class and name. */
  readonly object: string
  /** Reports the number of stuck messages; 0 once all have been delivered. Never throws. */
  reportStuck(messages: number): void
}

/** Returns the class and the name of an object, for log lines. */
export function objectOf(className: string, ctx: DurableObjectState): string {
  return `${className} ${nameOf(ctx)}`
}

/** @param className the object's class in `src/worker.ts` */
export function ownerOf(className: string, ctx: DurableObjectState, env: Env): Owner {
  const name = nameOf(ctx)
  let reportedAt = -Infinity
  return {
    object: objectOf(className, ctx),
    reportStuck(messages) {
      const now = Date.now()
      const isRecent = isWithin(REPORT_EVERY_MS, reportedAt, now)
      if (isRecent && messages > 0) return
      reportedAt = messages > 0 ? now : -Infinity
      // The next attempt repeats a lost report. Silence makes up for a lost report of 0.
      const told = Promise.resolve(health(env).noteStuck({ class: className, name, messages }))
      ctx.waitUntil(told.catch(() => {}))
    },
  }
}

function nameOf({ id }: DurableObjectState): string {
  return id.name ?? id.toString()
}
