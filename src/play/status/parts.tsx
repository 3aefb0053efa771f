import type { Mode } from '../../operator/modes.ts'
import { Panel } from '../components/panel.tsx'
import { Time } from '../components/time.tsx'
import { showCount } from '../locale.ts'
import { nameOf, titleOf } from './words.ts'

/** The answer of GET /api/health. */
export interface Health {
  status: 'up' | 'degraded'
  /** Whether the site takes bets; absent where operators look, who see every switch. */
  mode?: Mode
  parts: Record<string, Part>
  /** In unix milliseconds. */
  at: number
}

interface Part {
  status: 'up' | 'degraded' | 'off'
  /** The age of its facts; null if they have none. */
  ageMs: number | null
  message: string | null
}

const WORDS = { up: 'Works', degraded: 'Degraded', off: 'Not configured' }

/**
 * Lists the service's parts with their states.
 * @param names the reader's names for parts that have other names on the wire
 */
export function Parts({
  health,
  names = {},
}: {
  health: Health
  names?: Readonly<Record<string, string>>
}) {
  const { parts, at } = health
  return (
    <Panel title={titleOf(health)}>
      <div class="scrolled" tabindex={0} role="region" aria-label="Parts of the service">
        <table class="table">
          <caption class="visually-hidden">Parts of the service</caption>
          <thead>
            <tr>
              <th scope="col">Part</th>
              <th scope="col">Status</th>
              <th scope="col">Age</th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(parts).map(([name, part]) => (
              <tr key={name}>
                <td>{names[name] ?? nameOf(name)}</td>
                <td class={part.status === 'degraded' ? 'bad' : ''}>
                  {WORDS[part.status]}
                  {part.message !== null && <span class="muted">: {part.message}</span>}
                </td>
                <td>{part.ageMs === null ? '–' : ageOf(part.ageMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">
        As of <Time at={at} />.
      </p>
    </Panel>
  )
}

/** Writes an age in its largest unit: "12 seconds ago". */
export function ageOf(ageMs: number): string {
  const seconds = Math.max(0, Math.round(ageMs / 1000))
  for (const [unit, length] of UNITS) {
    const count = Math.floor(seconds / length)
    if (count > 0) return `${showCount(count)} ${unit}${count === 1 ? '' : 's'} ago`
  }
  return 'just now'
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const
