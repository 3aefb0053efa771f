import { capital } from '../../core/words.ts'
import { Panel } from '../components/panel.tsx'
import { Time } from '../components/time.tsx'
import { showCount } from '../locale.ts'

/** What GET /api/health answers. */
export interface Health {
  status: 'up' | 'degraded'
  parts: Record<string, Part>
  /** In unix milliseconds. */
  at: number
}

interface Part {
  status: 'up' | 'degraded' | 'off'
  /** How old what it knows is; null if that has no age. */
  ageMs: number | null
  message: string | null
}

const WORDS = { up: 'Works', degraded: 'Degraded', off: 'Not configured' }

/** Lists the service's parts with their states. */
export function Parts({ health: { status, parts, at } }: { health: Health }) {
  return (
    <Panel title={status === 'up' ? 'Everything works' : 'Some parts are degraded'}>
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
                <td>{nameOf(name)}</td>
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

/** Writes a part's name as words: "vaultWatch" and "vault-watch" are "Vault watch". */
function nameOf(name: string): string {
  return capital(
    name
      .replaceAll(/[-_]/g, ' ')
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase(),
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
