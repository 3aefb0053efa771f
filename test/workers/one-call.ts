import { expect, type MockInstance } from 'vitest'
import { get, pass } from './support.ts'

/** Expects reads of a path within some time to call an object once, however many there are, and the next one again. */
export async function expectOneCall(
  called: MockInstance<(...args: never[]) => unknown>,
  path: string,
  keptMs: number,
): Promise<void> {
  for (let times = 0; times < 5; times++) await get(path)
  expect(called).toHaveBeenCalledTimes(1)
  pass(keptMs)
  await get(path)
  expect(called).toHaveBeenCalledTimes(2)
}
