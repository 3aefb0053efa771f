import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError, Unreachable } from './client.ts'

/**
 * Makes a call that is safe to repeat, and repeats it while the service does not answer or answers that it failed.
 * @param pausesMs between the tries
 * @throws the last fault once they are used up, and any other fault
 */
export async function patiently<T>(
  call: () => Promise<T>,
  pausesMs: readonly number[],
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await call()
    } catch (fault) {
      const isUnanswered =
        fault instanceof Unreachable || (fault instanceof ServiceError && fault.status >= 500)
      const pauseMs = pausesMs[tries]
      if (!isUnanswered || pauseMs === undefined) throw fault
      await sleep(pauseMs)
    }
  }
}
