import { MessageAnswer } from '../../api/auth/answers-schema.ts'
import { MessageQuery } from '../../api/auth/schema.ts'
import { messageExpiresAt, signInMessage } from '../../auth/message.ts'
import { dayAt } from '../../core/utc-day.ts'
import { NOW, WALLET } from '../examples.ts'
import type { TagOperation } from '../operation.ts'

const site = { domain: 'play.example.com', origin: 'https://play.example.com', chainId: 1 }
const window = dayAt(NOW)

export const authOperations: TagOperation[] = [
  {
    method: 'get',
    path: '/api/auth/message',
    id: 'getSignInMessage',
    summary: "Today's message for a wallet to sign",
    name: 'message',
    description:
      'The message is the same all day (UTC). Its signature, `authSig`, is accepted on that day and the next. It cannot withdraw chips.',
    limit: 'reads',
    query: MessageQuery,
    answers: { 200: MessageAnswer },
    refusals: ['invalid_request'],
    example: {
      query: { wallet: WALLET },
      answer: {
        ok: true,
        message: signInMessage(site, WALLET, window),
        window,
        expiresAt: messageExpiresAt(window),
      },
    },
  },
]
