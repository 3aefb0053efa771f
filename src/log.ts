/** Reports something that happened as one line of JSON, under a stable name. Ids and amounts only. */
export function logEvent(event: string, fields: Record<string, string | number | null>): void {
  console.log(JSON.stringify({ level: 'info', event, ...fields }))
}

/**
 * Reports a fault as one line of JSON. Callers pass ids and counts only: no request, no
 * signature, no seed, no upstream URL.
 */
export function logFault(
  what: string,
  fault: unknown,
  context: Record<string, unknown> = {},
): void {
  const message = messageOf(fault)
  console.error(JSON.stringify({ level: 'error', what, message, ...context }))
}

/** viem's long messages quote the request and the node's URL; its short ones do not. */
function messageOf(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault)
  return 'shortMessage' in fault ? String(fault.shortMessage) : fault.message
}
