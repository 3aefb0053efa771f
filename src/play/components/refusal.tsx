import type { Token } from '../../money/token.ts'
import type { Problem } from '../api.ts'
import { useEffect } from '../hooks.ts'
import { isOutdated, plainWords } from '../plain-words.ts'
import type { Store } from '../store.ts'

/** Says next to a button why it did not do it. Always there, so that screen readers notice. */
export function Refusal({ problem, token }: { problem: Problem | null; token: Token }) {
  return (
    <p class="refusal" role="alert">
      {problem && plainWords(problem, token)}
    </p>
  )
}

/** Takes a refusal for want of chips back when the player's chips become other than it names. */
export function useRefusalOfChips(
  store: Store<{ problem: Problem | null }>,
  chips: string | undefined,
): void {
  useEffect(() => {
    const { problem } = store.value
    if (problem && isOutdated(problem, chips)) store.patch({ problem: null })
  }, [chips])
}
