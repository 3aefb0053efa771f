import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { AlertWatch } from '../shared/alerts.ts'
import { METRICS_TOKEN } from '../shared/metrics-token.ts'
import { PROJECT_DIR, startService, type StartedService } from './started-service.ts'

describe('the monitor of a started service', () => {
  let service: StartedService

  beforeAll(async () => {
    // Nothing listens at these relays, so that each round waits for its beacon until it is voided.
    service = await startService({ METRICS_TOKEN, CRASH_PEPPER: 'drand-quicknet' })
  })

  afterAll(() => service?.stop())

  const read = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${service.baseUrl}${path}`, { headers })

  it('reads metrics with the token only, and health without one', async () => {
    expect((await read('/api/metrics')).status).toBe(401)
    const answer = await read('/api/metrics', { authorization: `Bearer ${METRICS_TOKEN}` })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('fairhouse_part_up{part="beacon"} 1\n')
    expect(await (await read('/api/health')).json()).toMatchObject({ ok: true, status: 'up' })
  })

  it('learns that drand does not answer, as the public health does', async () => {
    const alerts = new AlertWatch(readFileSync(join(PROJECT_DIR, 'ops/alerts.yml'), 'utf8'))
    // The clock of the watch is driven, so that a rule that waits a minute waits for three scrapes.
    let at = Date.now()
    const firing = await vi.waitFor(
      async () => {
        // Somebody looks at the table, so that it opens rounds.
        await (await read('/api/crash?action=watch')).body?.cancel()
        const metrics = await read('/api/metrics', { authorization: `Bearer ${METRICS_TOKEN}` })
        const names = alerts.take(await metrics.text(), (at += 30_000))
        expect(names).toContain('BeaconLate')
        return names
      },
      { timeout: 200_000, interval: 2_000 },
    )
    expect(firing).toEqual(['BeaconLate'])
    const health = await (
      await read('/api/health')
    ).json<{
      status: string
      parts: Record<string, { status: string; message: string | null }>
    }>()
    expect(health.status).toBe('degraded')
    expect(health.parts['beacon']).toMatchObject({ status: 'degraded' })
    expect(health.parts['table']).toMatchObject({ status: 'up' })
  })
})
