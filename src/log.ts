/**
 * Reports a fault as one line of JSON. Callers pass ids and counts only: no request, no
 * signature, no seed, no upstream URL.
 */
export function logFault(
  what: string,
  fault: unknown,
  context: Record<string, unknown> = {},
): void {
  const message = fault instanceof Error ? fault.message : String(fault)
  console.error(JSON.stringify({ level: 'error', what, message, ...context }))
}
