import { z } from 'zod'
import { TxHash, Wallet } from '../http/schema.ts'

export const OpenBody = z.object({ wallet: Wallet, txHash: TxHash })

export const WalletQuery = z.object({ wallet: Wallet.optional() })
