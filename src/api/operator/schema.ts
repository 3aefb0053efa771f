import { z } from 'zod'
import { ACTS, type ActName } from '../../operator/act.ts'
import { Signature, WholeNumber } from '../http/schema.ts'

/** What is ordered. */
const order = z.object({
  act: z.enum(Object.keys(ACTS) as ActName[]).describe('The kind of act.'),
  target: z
    .string()
    .max(200)
    .describe(
      'The target of the act: `<switch>=<mode>`, separated by commas, for `mode`; a wallet for `freeze` and `unfreeze`; `<wallet>:<nonce>` for a withdrawal; `positions` or `everything` for `reproject`.',
    ),
  reason: z.string().min(1).max(500).describe('The reason, for the journal.'),
})

const HAS_TARGET = {
  path: ['target'],
  message: "does not have the form of this act's target",
}

function hasTarget({ act, target }: z.infer<typeof order>): boolean {
  return ACTS[act].test(target)
}

/** An act without a signature, for local play. */
export const OrderBody = order.refine(hasTarget, HAS_TARGET)

/** The body of POST /api/operate. */
export const ActBody = order
  .extend({
    nonce: WholeNumber(0, Number.MAX_SAFE_INTEGER).describe(
      "The act's nonce, from GET /api/operate.",
    ),
    expiresAt: WholeNumber(0, Number.MAX_SAFE_INTEGER).describe(
      'When the act expires, in unix seconds.',
    ),
    signature: Signature.describe("The vault owner's EIP-712 signature of the act, as hex."),
  })
  .refine(hasTarget, HAS_TARGET)

const Day = z
  .string()
  .refine((day) => /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(day)), {
    message: 'must be a day as YYYY-MM-DD',
  })
  .meta({ format: 'date' })

/** The query of GET /api/operate/books. */
export const BooksQuery = z.object({
  from: Day.describe('The first UTC day, as YYYY-MM-DD.'),
  to: Day.describe('The last UTC day, as YYYY-MM-DD; at most 366 days in all.'),
  format: z
    .enum(['json', 'csv'])
    .optional()
    .describe('Default: json. With `csv` the report is a file.'),
})
