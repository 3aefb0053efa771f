import { exports } from 'cloudflare:workers'
import { expect } from 'vitest'
import rules from '../../ops/alerts.yml?raw'
import { MINUTE_MS } from '../../src/core/utc-day.ts'
import { AlertWatch } from '../shared/alerts.ts'
import { METRICS_TOKEN } from '../shared/metrics-token.ts'
import { get, now, pass } from './support.ts'

/** An operator's monitor: scrapes the service as Prometheus does, by the tests' clock. */
export class Monitor {
  readonly #alerts = new AlertWatch(rules)
  /** Carried out before each look, such as the cron trigger. */
  readonly #each: () => Promise<unknown>

  constructor(each: () => Promise<unknown> = async () => {}) {
    this.#each = each
  }

  /** Looks once, and returns the alerts that fire. */
  async look(): Promise<string[]> {
    const response = await exports.default.fetch('http://fairhouse.test/api/metrics', {
      headers: { authorization: `Bearer ${METRICS_TOKEN}` },
    })
    expect(response.status).toBe(200)
    return this.#alerts.take(await response.text(), now())
  }

  /** Looks each minute, and returns the alerts that fire at the end. */
  async minutes(count: number): Promise<string[]> {
    let firing: string[] = []
    for (let minute = 0; minute < count; minute++) {
      pass(MINUTE_MS)
      await this.#each()
      firing = await this.look()
    }
    return firing
  }

  /** The parts that the public health shows as degraded, and why. */
  async degraded(): Promise<Record<string, string>> {
    const { parts } = (await get('/api/health')).body as {
      parts: Record<string, { status: string; message: string }>
    }
    return Object.fromEntries(
      Object.entries(parts).flatMap(([name, { status, message }]) =>
        status === 'degraded' ? [[name, message]] : [],
      ),
    )
  }
}
