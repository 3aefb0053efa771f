import { isPending } from '../../payment/answers.ts'
import { answer } from '../http/answer.ts'
import type { Handler } from '../http/call.ts'

/** Answers 202 while a handler waits for a payment's confirmations or a pepper. */
export function accepted(handler: Handler): Handler {
  return async (call) => {
    const result = await handler(call)
    return isPending(result) ? answer(result, 202) : result
  }
}
