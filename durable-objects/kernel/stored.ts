/** An object's fields as a row holds them: flags as 0 or 1; amounts and structured fields as text. */
export type Stored<T> = {
  [Field in keyof T]: T[Field] extends string | number | null
    ? T[Field]
    : T[Field] extends boolean
      ? number
      : string | Extract<T[Field], null>
}

/** Returns a value as JSON text, its amounts as decimal text. */
export function textOf(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) =>
    typeof field === 'bigint' ? field.toString() : field,
  )
}
