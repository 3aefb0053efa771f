import type { LogEventName, LogFields } from './log-events.ts'

// An event is a stable snake_case name, such as `sweep_failed`, so that operators can filter and alert
// on it. Anything that varies goes into the fields.

/** Logs an event as one line of JSON. Fields hold ids and amounts only. */
export function logEvent<Name extends LogEventName<'info'>>(
  event: Name,
  fields: LogFields<Name, string | number | null>,
): void {
  console.log(JSON.stringify({ level: 'info', event, ...fields }))
}

/**
 * Logs a fault as one line of JSON. Fields hold ids and counts only: no request, signature, seed or
 * upstream URL.
 */
export function logFault<Name extends LogEventName<'error'>>(
  event: Name,
  fault: unknown,
  ...[fields]: object extends LogFields<Name, unknown>
    ? [fields?: LogFields<Name, unknown>]
    : [fields: LogFields<Name, unknown>]
): void {
  const message = messageOf(fault)
  console.error(JSON.stringify({ level: 'error', event, message, ...fields }))
}

/**
 * viem's messages go on with the request, after an empty line. Those of an object's faults are all that is left of
 * them.
 */
function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message.split('\n\n', 1)[0]! : String(fault)
}
