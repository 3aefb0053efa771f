import { loadConfig } from '../../config/load.ts'
import { isRefusal, refuse } from '../../core/refusal.ts'
import type { ApiCall, Handler } from '../http/call.ts'
import { monitored } from '../http/monitor.ts'
import { checkAccess } from './access.ts'
import type { Operator } from './answers.ts'
import { signedInOperator } from './sign-in.ts'

export interface OperatorCall<Input = Record<string, string>> extends ApiCall<Input> {
  operator: Operator
}

/** Admits operators only, and only through Cloudflare Access if it is configured. */
export function guarded<Input>(handler: Handler<ApiCall<Input>>): Handler<ApiCall<Input>> {
  return async (call) => {
    const { access, operators } = loadConfig(call.env)
    if (operators.size === 0) {
      return refuse('not_configured', 'This service has no operators. Configure OPERATORS.')
    }
    return (await checkAccess(access, call.request)) ?? handler(call)
  }
}

/** Verifies the operator's sign-in before handling a call. */
export function signedIn<Input>(handler: Handler<OperatorCall<Input>>): Handler<ApiCall<Input>> {
  return async (call) => {
    const operator = await signedInOperator(call, Date.now())
    return isRefusal(operator) ? operator : handler({ ...call, operator })
  }
}

/** Lets signed-in operators and the reader of the metrics pass. */
export function watched<Input>(handler: Handler<ApiCall<Input>>): Handler<ApiCall<Input>> {
  const forOperators = guarded(signedIn<Input>(handler))
  const forMonitors = monitored<ApiCall<Input>>(handler)
  return async (call) => {
    const isWallet = call.request.headers.get('authorization')?.startsWith('Wallet ') === true
    return isWallet ? forOperators(call) : forMonitors(call)
  }
}
