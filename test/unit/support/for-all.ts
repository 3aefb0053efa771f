import * as fc from 'fast-check'

type Property<Values extends [unknown, ...unknown[]]> = [
  ...arbitraries: { [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
  holds: (...values: Values) => boolean | void,
]

/** Checks that something holds for a hundred random values of each arbitrary. */
export function forAll<Values extends [unknown, ...unknown[]]>(...property: Property<Values>) {
  fc.assert(fc.property(...property))
}

/** The same for another number of random values. */
export function forMany<Values extends [unknown, ...unknown[]]>(
  numRuns: number,
  ...property: Property<Values>
) {
  fc.assert(fc.property(...property), { numRuns })
}
