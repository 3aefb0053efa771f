import { z } from 'zod'
import { Wallet } from '../http/schema.ts'

/** The query of GET /api/auth/message. */
export const MessageQuery = z.object({ wallet: Wallet })
