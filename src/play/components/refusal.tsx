import type { Token } from '../../money/token.ts'
import type { Problem } from '../api.ts'
import { plainWords } from '../plain-words.ts'

/** Says next to a button why it did not do it. Always there, so that screen readers notice. */
export function Refusal({ problem, token }: { problem: Problem | null; token: Token }) {
  return (
    <p class="refusal" role="alert">
      {problem && plainWords(problem, token)}
    </p>
  )
}
