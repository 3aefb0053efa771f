import type { ChainCheck } from '../../chain/check.ts'

/** Returns a check. @param problem the message for the operator if the claim doesn't hold */
export function check(claim: string, holds: boolean, problem: string): ChainCheck {
  return { claim, problem: holds ? null : problem }
}

/** Returns a check of an optional claim. @param warning the message for the operator if the claim doesn't hold */
export function checkWithWarning(claim: string, holds: boolean, warning: string): ChainCheck {
  return { claim, problem: null, ...(!holds && { warning }) }
}
