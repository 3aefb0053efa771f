import type { ChainCheck } from '../../chain/check.ts'

/** Returns a check. @param problem what to tell the operator if the claim doesn't hold */
export function check(claim: string, holds: boolean, problem: string): ChainCheck {
  return { claim, problem: holds ? null : problem }
}
