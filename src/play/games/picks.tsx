/** So many distinct ones of 0 … size − 1. What a player picks need not be fair, only quick. */
export function randomPicks(size: number, count: number): number[] {
  const order = crypto.getRandomValues(new Uint32Array(size))
  const all = Array.from({ length: size }, (_, index) => index)
  return all.toSorted((a, b) => (order[a] ?? 0) - (order[b] ?? 0)).slice(0, count)
}

interface Props {
  count: number
  /** Of picks that are made at random. */
  randomCount: number
  onRandom: () => void
  onClear: () => void
}

/** Picks for who does not want to. */
export function QuickPicks({ count, randomCount, onRandom, onClear }: Props) {
  return (
    <div class="quick">
      <button type="button" onClick={onRandom}>
        Pick {randomCount} for me
      </button>
      <button type="button" aria-disabled={count === 0 ? 'true' : 'false'} onClick={onClear}>
        Clear
      </button>
    </div>
  )
}
