import { z } from 'zod'
import { AmountWei, Signature, TokenName, WholeNumber } from '../http/schema.ts'

/** The body of POST /api/crash `house-topup`; `wallet` and `authSig` are read before it. */
export const HouseTopupBody = z.object({
  record: z.boolean().default(true).meta({
    description:
      "Whether the vault is to have the house's result, which lets its owner take out the house's share for an hour. A transaction is sent for it only where the result has changed since the last one, five minutes ago or earlier, or that one is half an hour old. `false` only counts and checks.",
  }),
})

/** The body of POST /api/crash `withdraw`; `wallet` and `authSig` are read before it. */
export const WithdrawBody = z.object({
  token: TokenName,
  amountWei: AmountWei,
  nonce: WholeNumber(0, Number.MAX_SAFE_INTEGER).meta({
    description: '`me.nonce`: the same nonce again answers how its withdrawal is doing.',
  }),
  signature: Signature.meta({ description: 'The EIP-712 signature over the withdrawal, as hex.' }),
})
