import { Panel } from '../components/panel.tsx'
import { useEffect } from '../hooks.ts'
import { showMultiplier } from '../locale.ts'
import { useStore } from '../store.ts'
import { tone } from './history.tsx'
import { followResults, results } from './results.ts'

/** A bar is full at this crash point: few are higher. */
const FULL = 50

/** Shows the newest fifty results as bars. Each links to its round. */
export function Bars() {
  useEffect(followResults, [])
  const shown = useStore(results)
  if (shown.length === 0) return null
  const reached = shown.filter(({ crash }) => crash >= 2).length
  return (
    <div class="last-rounds">
      <Panel title={`Last ${shown.length} rounds`}>
        <p class="hint">
          {reached} of {shown.length} reached {showMultiplier(2)}. Newest first.
        </p>
        <nav aria-label={`Last ${shown.length} rounds`}>
          <ol class="bars">
            {shown.map(({ roundId, crash }) => (
              <li key={roundId}>
                <a
                  class={tone(crash)}
                  href={`#/round/${roundId}`}
                  title={`Round ${roundId}: ${showMultiplier(crash)}`}
                  aria-label={`Round ${roundId}: ${showMultiplier(crash)}`}
                  style={{ '--part': String(heightOf(crash)) }}
                />
              </li>
            ))}
          </ol>
        </nav>
      </Panel>
    </div>
  )
}

/** Returns the height of a bar from 0 to 1, on a logarithmic scale: half as many rounds fly twice as high. */
function heightOf(crash: number): number {
  return Math.min(1, Math.log(crash) / Math.log(FULL))
}
