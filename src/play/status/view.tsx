import { get, isFailure } from '../api.ts'
import { Panel } from '../components/panel.tsx'
import { useEffect, useState } from '../hooks.ts'
import { repeatedly } from '../pause.ts'
import { Parts, type Health } from './parts.tsx'
import { PLAIN_NAMES } from './words.ts'

const READ_EVERY_MS = 30_000

/** `unknown`: the service does not say, or did not answer. */
type HealthReading = Health | 'unknown' | null

/** Whether the service works: #/status. */
export default function Status() {
  const [health, setHealth] = useState<HealthReading>(null)
  useEffect(
    () =>
      repeatedly(async () => {
        const answer = await get<Health & { ok: true }>('/api/health')
        setHealth(isFailure(answer) || !('parts' in answer) ? 'unknown' : answer)
      }, READ_EVERY_MS),
    [],
  )
  return (
    <div class="status">
      <h1>Status</h1>
      {health === null && <p class="loading">Loading…</p>}
      {health === 'unknown' && (
        <Panel title="Unknown">
          <p>The service doesn’t report its status now. That alone doesn’t mean that it is down.</p>
        </Panel>
      )}
      {health !== null && health !== 'unknown' && <Parts health={health} names={PLAIN_NAMES} />}
    </div>
  )
}
