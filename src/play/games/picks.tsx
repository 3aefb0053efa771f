/** Draws distinct numbers from 0 to size − 1. A player's picks don't have to be fair, so speed decides. */
export function randomPicks(size: number, count: number): number[] {
  const order = crypto.getRandomValues(new Uint32Array(size))
  const all = Array.from({ length: size }, (_, index) => index)
  return all.toSorted((a, b) => (order[a] ?? 0) - (order[b] ?? 0)).slice(0, count)
}

interface Props {
  count: number
  /** How many picks to make at random. */
  randomCount: number
  onRandom: () => void
  onClear: () => void
}

/** Buttons that pick at random and clear the picks. */
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
