import { vi } from 'vitest'

/**
 * Has timers fire at once from now on, however long they are set for. Returns the spy on them.
 * @param ofMs only the timers that are set for this long
 */
export function fireTimersAtOnce(ofMs?: number) {
  const schedule = setTimeout
  return vi
    .spyOn(globalThis, 'setTimeout')
    .mockImplementation((run: () => void, delayMs?: number) =>
      schedule(run, ofMs === undefined || delayMs === ofMs ? 0 : delayMs),
    )
}
