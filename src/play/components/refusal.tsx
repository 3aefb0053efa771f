import type { Unit } from '../../money/token.ts'
import type { Problem } from '../api.ts'
import { useEffect } from '../hooks.ts'
import { isOutdated, plainWords } from '../plain-words.ts'
import type { Store } from '../store.ts'

/** Shows next to a button why it failed. Always rendered, so that screen readers notice a change. */
export function Refusal({ problem, token }: { problem: Problem | null; token: Unit }) {
  return (
    <p class="refusal" role="alert">
      {problem && plainWords(problem, token)}
    </p>
  )
}

/** Clears a refusal for insufficient chips once the player's chips have changed. */
export function useRefusalOfChips(
  store: Store<{ problem: Problem | null }>,
  chips: string | undefined,
): void {
  useEffect(() => {
    const { problem } = store.value
    if (problem && isOutdated(problem, chips)) store.patch({ problem: null })
  }, [chips])
}
