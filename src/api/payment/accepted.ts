import { isPending } from '../../payment/answers.ts'
import { answer } from '../http/answer.ts'
import type { Handler } from '../http/call.ts'

/** Answers 202 where a handler is still waiting for a payment to be confirmed. */
export function accepted(handler: Handler): Handler {
  return async (call) => {
    const result = await handler(call)
    return isPending(result) ? answer(result, 202) : result
  }
}
