import { z } from 'zod'
import type { Pending } from '../../payment/answers.ts'
import { count, describes, ok } from '../http/answers-schema.ts'

export const PendingAnswer = describes<Pending>()(
  z
    .object({
      ok,
      status: z.literal('pending').meta({ description: 'Repeat the same call.' }),
      confirmations: count("The payment's confirmations, including its own block."),
      required: count('The required confirmations.'),
    })
    .meta({ id: 'PaymentPending', description: 'The payment is not confirmed yet.' }),
)
