/** The meaning of an event in the service log, and the operator's response. */
export interface LogEventMeaning {
  level: 'info' | 'error'
  means: string
  /** Null for an event that only informs. */
  todo: string | null
  /** Its fields besides `level`, `event` and a fault's `message`; one with `?` may be missing. */
  fields: readonly string[]
}

/** Returns the meaning of an event that only informs. */
export function info<const Fields extends readonly string[]>(means: string, fields: Fields) {
  return { level: 'info', means, todo: null, fields } as const
}

/** Returns the meaning of a fault. */
export function error<const Fields extends readonly string[]>(
  means: string,
  todo: string,
  fields: Fields,
) {
  return { level: 'error', means, todo, fields } as const
}
