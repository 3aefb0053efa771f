import { z } from 'zod'
import { AmountWei, TokenName, Wallet } from '../http/schema.ts'

export const FaucetBody = z.object({
  wallet: Wallet,
  token: TokenName,
  amountWei: AmountWei.refine((amountWei) => amountWei > 0n, 'must be above 0'),
  id: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('An id of your choice, which makes the call safe to repeat: each id credits once.'),
})
