import { z } from 'zod'
import { Credentials } from '../api/http/schema.ts'

/** Builds the schema of an action's body for the API reference, with its `action` field. */
export function action(name: string, fields: z.ZodObject = z.object({})) {
  return z.object({
    action: z.literal(name).meta({ description: 'The action.' }),
    ...fields.shape,
  })
}

/** Builds the schema of a signed action's body, with its credentials. */
export function signedAction(name: string, fields: z.ZodObject = z.object({})) {
  return action(name, z.object({ ...Credentials.shape, ...fields.shape }))
}
