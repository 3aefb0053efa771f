/** One thing that was checked, and whether it held. */
export interface Check {
  claim: string
  holds: boolean
}
