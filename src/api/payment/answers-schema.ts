import { z } from 'zod'
import type { Pending } from '../../payment/answers.ts'
import { count, describes, describedComponent, ok } from '../http/answers-schema.ts'

export const PendingAnswer = describes<Pending>()(
  describedComponent('PaymentPending', 'The payment is not confirmed yet.', {
    ok,
    status: z.literal('pending').describe('Repeat the same call.'),
    confirmations: count("The payment's confirmations, including its own block."),
    required: count('The required confirmations.'),
  }),
)
