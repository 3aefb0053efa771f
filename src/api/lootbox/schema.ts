import { z } from 'zod'
import { TxHash, Wallet } from '../http/schema.ts'

export const OpenBody = z.object({ wallet: Wallet, txHash: TxHash })

/** The body of a free spin, apart from `wallet` and `authSig`. */
export const SpinBody = z.object({
  postUrl: z
    .string()
    .min(1)
    .max(500)
    .describe("The link of a public post that contains the wallet's `shareCode`."),
})

export const WalletQuery = z.object({ wallet: Wallet.optional() })
