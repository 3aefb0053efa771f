import { z } from 'zod'
import { Credentials } from '../api/http/schema.ts'

/** The body of a POST's action, as the API reference has it: its fields beside what every action carries. */
export function action(name: string, fields: z.ZodObject = z.object({})) {
  return z.object({
    action: z.literal(name).meta({ description: 'What to do.' }),
    ...fields.shape,
  })
}

/** The same for one that a wallet signs. */
export function signedAction(name: string, fields: z.ZodObject = z.object({})) {
  return action(name, z.object({ ...Credentials.shape, ...fields.shape }))
}
