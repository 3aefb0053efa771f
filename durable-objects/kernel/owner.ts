import { health } from '../../src/objects.ts'

/** An object reports its stuck messages at most this often, and at once when the last one has been delivered. */
const REPORT_EVERY_MS = 60_000

/** The object that messages belong to: its name in log lines, and its reports to {@link health}. */
export interface Owner {
  /** Class and name. */
  readonly object: string
  /**
   * Reports how many messages are stuck; 0 once none is. Never throws.
   */
  reportStuck(messages: number): void
}

/** For tests of a part without an object. */
export const NOBODY: Owner = { object: 'none', reportStuck: () => {} }

/** @param className the object's class in `src/worker.ts` */
export function ownerOf(className: string, ctx: DurableObjectState, env: Env): Owner {
  const name = ctx.id.name ?? ctx.id.toString()
  let reportedAt = -Infinity
  return {
    object: `${className} ${name}`,
    reportStuck(messages) {
      const now = Date.now()
      const isRecent = now >= reportedAt && now - reportedAt < REPORT_EVERY_MS
      if (isRecent && messages > 0) return
      reportedAt = messages > 0 ? now : -Infinity
      // A lost report follows with the next attempt. One of 0 is replaced by silence.
      const told = Promise.resolve(health(env).noteStuck({ class: className, name, messages }))
      ctx.waitUntil(told.catch(() => {}))
    },
  }
}
