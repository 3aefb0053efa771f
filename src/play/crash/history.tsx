import { toHundredths } from '../../money/multiplier.ts'
import { showHundredths } from '../locale.ts'
import { useStore } from '../store.ts'
import { live } from './live.ts'

/** Lists the results of recent rounds, newest first. Each links to its verification. */
export function History() {
  const { table } = useStore(live)
  return (
    <nav class="history" aria-label="Recent rounds">
      <ol>
        {table?.history.map(({ roundId, crash }) => (
          <li key={roundId}>
            <a
              class={`chip ${tone(crash)}`}
              href={`#/round/${roundId}`}
              title={`Verify round ${roundId}`}
            >
              {showHundredths(toHundredths(crash))}
              <span class="visually-hidden"> in round {roundId}: verify</span>
            </a>
          </li>
        ))}
      </ol>
    </nav>
  )
}

/** Returns the class of a crash point: below 2.00x, below 10.00x or above. */
export function tone(crash: number): string {
  if (crash < 2) return 'low'
  return crash < 10 ? 'mid' : 'high'
}
