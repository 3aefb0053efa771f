import { z } from 'zod'
import { Credentials, Wallet } from '../http/schema.ts'

/** The wallet whose proof to answer, with its signature. */
export const SolvencyQuery = z.object({
  wallet: Wallet.optional(),
  authSig: Credentials.shape.authSig.optional(),
})
