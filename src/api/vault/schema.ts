import { z } from 'zod'
import { AmountWei, Signature, TokenName, WholeNumber } from '../http/schema.ts'

/** The body of POST /api/crash `house-topup`, apart from `wallet` and `authSig`. */
export const HouseTopupBody = z.object({
  record: z
    .boolean()
    .default(true)
    .describe(
      "Whether to record the house's result in the vault, which lets its owner withdraw the house's share for an hour. A transaction is sent only if the result has changed and the last transaction is at least five minutes old, or if the last one is half an hour old; none while the vault is paused. `false` only counts and checks.",
    ),
})

/** The body of POST /api/crash `withdraw`, apart from `wallet` and `authSig`. */
export const WithdrawBody = z.object({
  token: TokenName,
  amountWei: AmountWei,
  nonce: WholeNumber(0, Number.MAX_SAFE_INTEGER).describe(
    '`me.nonce`. Repeating a nonce returns the status of its withdrawal.',
  ),
  signature: Signature.describe('The EIP-712 signature over the withdrawal, as hex.'),
})
