/** A claim that was checked, and whether it holds. */
export interface Check {
  claim: string
  holds: boolean
}

/** Checks a value against the one a player saw before. Checks nothing if the player saw none. */
export function checkSeen(claim: string, actual: string | number, seen?: string | number): Check[] {
  return seen === undefined ? [] : [{ claim, holds: actual === seen }]
}

/** A value that was computed, and from what. */
export interface Step {
  name: string
  value: string
}
