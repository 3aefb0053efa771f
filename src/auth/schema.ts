import { z } from 'zod'
import { Wallet } from '../http/schema.ts'

/** Whose message to sign. */
export const MessageQuery = z.object({ wallet: Wallet })

/** What a wallet proves itself with: in the query of a GET, in the body of a POST. */
export const Credentials = z.object({
  wallet: Wallet,
  authSig: z.string().meta({
    description:
      "The wallet's signature of today's or yesterday's message; see GET /api/auth/message.",
  }),
})
