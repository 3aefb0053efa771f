import { loadConfig } from '../../config/load.ts'
import { refuse } from '../../core/refusal.ts'
import type { ApiCall, Handler } from './call.ts'
import { refuseToken } from './token.ts'

/** Checks the operator's token before handling a call. */
export function monitored<C extends ApiCall<unknown>>(handler: Handler<C>): Handler<C> {
  return async (call) => {
    const { metricsToken } = loadConfig(call.env)
    if (metricsToken === null) {
      return refuse('not_found', 'This service offers no metrics. Set METRICS_TOKEN.')
    }
    return refuseToken(metricsToken, call.request.headers.get('authorization')) ?? handler(call)
  }
}
