import { isRefusal } from '../../core/refusal.ts'
import type { JsonObject } from '../http/body.ts'
import type { ApiCall, Handler, Limit } from '../http/call.ts'
import { checkRateLimit } from '../http/rate-limits.ts'
import { authenticate } from './authenticate.ts'

/** A call with a verified wallet. */
export interface SignedCall<Input = JsonObject> extends ApiCall<Input> {
  /** In EIP-55 form. */
  wallet: string
}

/** Verifies the caller's wallet and counts the call against it before handling it. */
export function signed<I extends JsonObject>(
  limit: Limit,
  handler: Handler<SignedCall<I>>,
): Handler<ApiCall<I>> {
  return async (call) => {
    const caller = await authenticate(call, call.input)
    if (isRefusal(caller)) return caller
    const { wallet } = caller
    return (await checkRateLimit(call.env[limit], wallet)) ?? handler({ ...call, wallet })
  }
}
