/** A claim that was checked, and whether it holds. */
export interface Check {
  claim: string
  holds: boolean
  /** Whether it compares with the clock of the player's own device, which may be wrong. */
  isByOwnClock?: true
}

/** Checks a value against the one a player saw before. Checks nothing if the player saw none. */
export function checkSeen(claim: string, actual: string | number, seen?: string | number): Check[] {
  return seen === undefined ? [] : [{ claim, holds: actual === seen }]
}

/** Returns whether two objects have the same values in some fields. */
export function sameFields<A extends object, B extends object>(
  a: A,
  b: B,
  names: readonly (keyof A & keyof B)[],
): boolean {
  return names.every((name) => (a[name] as unknown) === b[name])
}

/** A computed value and its inputs. */
export interface Step {
  name: string
  value: string
}
