import { z } from 'zod'
import { AmountWei, TokenName, WholeNumber } from '../http/schema.ts'

/** A contract wallet's signature may be long; longer than this is none. */
const MAX_SIGNATURE_CHARS = 8_192

/** The body of POST /api/crash `withdraw`; `wallet` and `authSig` are read before it. */
export const WithdrawBody = z.object({
  token: TokenName,
  amountWei: AmountWei,
  nonce: WholeNumber(0, Number.MAX_SAFE_INTEGER).meta({
    description: '`me.nonce`: the same nonce again answers how its withdrawal is doing.',
  }),
  signature: z
    .string()
    .max(MAX_SIGNATURE_CHARS)
    .regex(/^0x([0-9a-fA-F]{2})*$/, 'must be hex bytes with 0x')
    .meta({ description: 'The EIP-712 signature over the withdrawal, as hex.' }),
})
