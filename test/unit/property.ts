import * as fc from 'fast-check'
import { it } from 'vitest'

type Arbitraries<Values extends [unknown, ...unknown[]]> = {
  [Index in keyof Values]: fc.Arbitrary<Values[Index]>
}

/** A test that something holds for a hundred random values of each arbitrary. */
export function property<Values extends [unknown, ...unknown[]]>(
  name: string,
  arbitraries: Arbitraries<Values>,
  holds: (...values: Values) => boolean | void,
): void {
  propertyTimes(100, name, arbitraries, holds)
}

/** The same with another number of random values. */
export function propertyTimes<Values extends [unknown, ...unknown[]]>(
  numRuns: number,
  name: string,
  arbitraries: Arbitraries<Values>,
  holds: (...values: Values) => boolean | void,
): void {
  it(name, () => fc.assert(fc.property(...arbitraries, holds), { numRuns }))
}
