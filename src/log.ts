import type { LogEventMeaning } from './core/log-event-meaning.ts'
import type { LOG_EVENTS } from './log-events.ts'

type Events = typeof LOG_EVENTS
/** The events of one level. */
export type LogEventName<Level extends LogEventMeaning['level'] = LogEventMeaning['level']> = {
  [Name in keyof Events]: Events[Name]['level'] extends Level ? Name : never
}[keyof Events]

type FieldOf<Name extends LogEventName> = Events[Name]['fields'][number]
type Optional<Field> = Field extends `${infer Name}?` ? Name : never
type Required<Field> = Field extends `${string}?` ? never : Field & string
/** The fields that a line with an event has. */
type LogFields<Name extends LogEventName, Value> = Readonly<
  Record<Required<FieldOf<Name>>, Value> & Partial<Record<Optional<FieldOf<Name>>, Value>>
>

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

/** viem's messages go on with the request, after an empty line. An object's fault reaches us only as its message. */
function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message.split('\n\n', 1)[0]! : String(fault)
}
