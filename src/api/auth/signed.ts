import { isRefusal } from '../../core/refusal.ts'
import type { JsonObject } from '../http/body.ts'
import type { Call, Handler, Limit } from '../http/call.ts'
import { spend } from '../http/limits.ts'
import { authenticate } from './authenticate.ts'

/** A call with a verified wallet. */
export interface SignedCall<Input = JsonObject> extends Call<Input> {
  /** In EIP-55 form. */
  wallet: string
}

/** Verifies the caller's wallet and counts the call against it before handling it. */
export function signed<I extends JsonObject>(
  limit: Limit,
  handler: Handler<SignedCall<I>>,
): Handler<Call<I>> {
  return async (call) => {
    const caller = await authenticate(call.env, call.request, call.input)
    if (isRefusal(caller)) return caller
    const { wallet } = caller
    return (await spend(call.env[limit], wallet)) ?? handler({ ...call, wallet })
  }
}
