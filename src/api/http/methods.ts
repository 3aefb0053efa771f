import { refuse } from '../../core/refusal.ts'
import { answerRefusal } from './answer.ts'

/** The answer to any other method on a path that exists. */
export function onlyMethods(allow: string): () => Response {
  return () => answerRefusal(refuse('method_not_allowed', `This path takes ${allow}.`), { allow })
}
