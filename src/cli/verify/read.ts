import { z } from 'zod'
import { CommandError } from '../shared/terminal.ts'

/** Reads untrusted JSON by a schema. @throws CommandError with the problems, if it isn't of that form */
export function readAs<T>(schema: z.ZodType<T>, value: unknown, isNot: string): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new CommandError(`${isNot}:\n${z.prettifyError(parsed.error)}`)
}
