import { z } from 'zod'
import { AmountWei, TokenName, Wallet } from '../http/schema.ts'

/** The most of one call: a million ETH. D1 counts the bankroll in 64-bit integers. */
const MAX_WEI = 10n ** 24n

export const FaucetBody = z.object({
  wallet: Wallet,
  token: TokenName,
  amountWei: AmountWei.refine((amountWei) => amountWei > 0n, 'must be above 0')
    .refine((amountWei) => amountWei <= MAX_WEI, `must be at most ${MAX_WEI}`)
    .describe(`The chips to credit, in the token's smallest unit, at most ${MAX_WEI}.`),
  id: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('An id of your choice, which makes the call safe to repeat: each id credits once.'),
})

/** A wallet whose chips are to be in the count as they are now. */
export const SolvencyBody = z.object({ wallet: Wallet.optional() })
