// Why a step of a runbook was not followed.

/** The step is for another cause of the alert. */
export const OTHER_CAUSE = 'for another cause'
/** The step asks people, or sites that are not on this machine. */
export const ELSEWHERE = 'asks elsewhere'
/** The step before it has helped. */
export const NOT_NEEDED = 'a step before has helped'
