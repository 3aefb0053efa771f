/** A claim that was checked, and whether it holds. */
export interface Check {
  claim: string
  holds: boolean
}
