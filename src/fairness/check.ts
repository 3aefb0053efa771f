/** A claim that was checked, and whether it holds. */
export interface Check {
  claim: string
  holds: boolean
}

/** A value that was computed, and from what. */
export interface Step {
  name: string
  value: string
}
