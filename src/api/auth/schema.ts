import { z } from 'zod'
import { Wallet } from '../http/schema.ts'

/** Whose message to sign. */
export const MessageQuery = z.object({ wallet: Wallet })
