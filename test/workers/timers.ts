import { vi } from 'vitest'

/** Has every timer fire at once from now on, however long it is set for. Returns the spy on them. */
export function fireTimersAtOnce() {
  const schedule = setTimeout
  return vi.spyOn(globalThis, 'setTimeout').mockImplementation((run: () => void) => schedule(run))
}
