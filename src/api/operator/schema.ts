import { z } from 'zod'
import { ACTS, type ActName } from '../../operator/act.ts'
import { Signature, WholeNumber } from '../http/schema.ts'

/** The body of POST /api/operate. */
export const ActBody = z
  .object({
    act: z.enum(Object.keys(ACTS) as ActName[]).describe('The kind of act.'),
    target: z
      .string()
      .max(200)
      .describe(
        'The target of the act: a wallet for `unfreeze`, `<wallet>:<nonce>` for a withdrawal, `positions` or `everything` for `reproject`.',
      ),
    reason: z.string().min(1).max(500).describe('The reason, for the journal.'),
    nonce: WholeNumber(0, Number.MAX_SAFE_INTEGER).describe(
      "The act's nonce, from GET /api/operate.",
    ),
    expiresAt: WholeNumber(0, Number.MAX_SAFE_INTEGER).describe(
      'When the act expires, in unix seconds.',
    ),
    signature: Signature.describe("The vault owner's EIP-712 signature of the act, as hex."),
  })
  .refine(({ act, target }) => ACTS[act].test(target), {
    path: ['target'],
    message: "does not have the form of this act's target",
  })
