import { z } from 'zod'
import { count, describes, ok } from '../http/answers-schema.ts'
import type { Pending } from '../../payment/answers.ts'

export const PendingAnswer = describes<Pending>()(
  z
    .object({
      ok,
      status: z.literal('pending').meta({ description: 'Ask again with the same call.' }),
      confirmations: count('Blocks that confirm the payment, its own among them.'),
      required: count('Blocks that it needs.'),
    })
    .meta({ id: 'PaymentPending', description: 'The payment is not confirmed yet.' }),
)
