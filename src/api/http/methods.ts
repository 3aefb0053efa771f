import { refuse } from '../../core/refusal.ts'
import { answerRefusal } from './answer.ts'

/** Returns a handler that refuses all other methods on a path. Hono answers HEAD where it answers GET. */
export function onlyMethods(allow: string): () => Response {
  return () =>
    answerRefusal(
      refuse('method_not_allowed', `This path does not take this method. Use ${allow}.`),
      { allow: allow.replace('GET', 'GET, HEAD') },
    )
}
