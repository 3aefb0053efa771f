import { z } from 'zod'
import { AmountWei, TokenName, Wallet } from '../http/schema.ts'

export const FaucetBody = z.object({
  wallet: Wallet,
  token: TokenName,
  amountWei: AmountWei.refine((amountWei) => amountWei > 0n, 'must be more than zero'),
  id: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .meta({ description: 'Repeating a call with the same id credits once.' }),
})
