import { z } from 'zod'
import { AmountWei, Signature, TokenName, WholeNumber } from '../http/schema.ts'

/** The body of POST /api/crash `withdraw`; `wallet` and `authSig` are read before it. */
export const WithdrawBody = z.object({
  token: TokenName,
  amountWei: AmountWei,
  nonce: WholeNumber(0, Number.MAX_SAFE_INTEGER).meta({
    description: '`me.nonce`: the same nonce again answers how its withdrawal is doing.',
  }),
  signature: Signature.meta({ description: 'The EIP-712 signature over the withdrawal, as hex.' }),
})
