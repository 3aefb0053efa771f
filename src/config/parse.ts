import { z } from 'zod'

/**
 * Returns a transform for a schema that parses a value.
 * @param parse returns null for an invalid value
 * @param message describes a valid value
 */
export function parsing<From, To>(parse: (from: From) => To | null, message: string) {
  return (from: From, context: z.RefinementCtx): To => {
    const to = parse(from)
    if (to !== null) return to
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  }
}
