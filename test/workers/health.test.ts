import { evictDurableObject } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { crashTable, health } from '../../src/calls/objects.ts'
import { Health } from '../../src/worker.ts'
import { METRICS_TOKEN } from '../shared/metrics-token.ts'
import { changeConfig } from './configuration.ts'
import { costsOf } from './costs.ts'
import { expectOneCall } from './one-call.ts'
import { setModes } from './operator.ts'
import { call, codeOf, get, pass, useStories, watch } from './support.ts'

useStories()

describe('the health of the service', () => {
  it('is up part by part, and nothing that is not configured counts', async () => {
    await watch()
    const { status, body, headers } = await get('/api/health')
    expect(status).toBe(200)
    expect(body).toMatchObject({ ok: true, status: 'up', version: env.VERSION.id })
    expect(body.parts.table).toMatchObject({ status: 'up', message: null })
    expect(body.parts.chain.status).toBe('off')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('access-control-allow-origin')).toBe('*')
  })

  it('opens no round and changes nothing', async () => {
    const before = await costsOf(() => health(env).facts())
    expect(before.rows).toBe(0)
    expect((await get('/api/health')).body.parts.table.status).toBe('up')
    expect(await crashTable(env).newestRoundId()).toBe(0)
    expect((await crashTable(env).facts()).lastReadAt).toBe(0)
  })

  it('costs one reading in ten seconds, however many ask', async () => {
    const read = () => Promise.all(Array.from({ length: 20 }, () => health(env).facts()))
    // The router's calls, the table, its round, Control, the log, the exporter, the daybook, and two partners' limits and ids.
    expect((await costsOf(read)).calls).toBe(20 + 10)
    expect((await costsOf(read)).calls).toBe(20)
    pass(10_000)
    expect((await costsOf(read)).calls).toBe(20 + 10)
  })

  it('is asked of its object once in two seconds, however many ask', async () => {
    await expectOneCall(vi.spyOn(Health.prototype, 'facts'), '/api/health', 2_000)
  })

  it('shows an object that does not answer as degraded, and the others as they are', async () => {
    vi.spyOn(env.EXPORTER, 'getByName').mockImplementation(() => {
      throw new Error('the object is gone')
    })
    const { body } = await get('/api/health')
    expect(body.status).toBe('degraded')
    expect(body.parts.exports).toEqual({
      status: 'degraded',
      ageMs: null,
      message: 'This part does not answer.',
    })
    expect(body.parts.table.status).toBe('up')
  })

  it('is degraded while the switches of operators cannot be read, without which no stake is taken', async () => {
    vi.spyOn(env.CONTROL, 'getByName').mockImplementation(() => {
      throw new Error('the object is gone')
    })
    const { body } = await get('/api/health')
    expect(body).toMatchObject({ status: 'degraded', mode: 'open' })
    expect(body.parts.control.message).toBe('This part does not answer.')
    expect(body.parts.table.status).toBe('up')
  })

  it('says that operators have closed the site, with all its parts up', async () => {
    expect((await get('/api/health')).body.mode).toBe('open')
    await setModes('all=draining')
    expect((await get('/api/health')).body).toMatchObject({ status: 'up', mode: 'draining' })
  })

  it('takes no other method', async () => {
    expect(codeOf(await call('/api/health', { method: 'DELETE' }))).toBe('method_not_allowed')
  })
})

const scrape = (authorization = `Bearer ${METRICS_TOKEN}`) =>
  exports.default.fetch('http://fairhouse.test/api/metrics', { headers: { authorization } })

describe('the metrics', () => {
  it('are for the owner of the token only', async () => {
    const { status, headers } = await scrape()
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(headers.get('cache-control')).toBe('no-store')
    for (const wrong of [`${METRICS_TOKEN}x`, METRICS_TOKEN.slice(1), 'Bearer']) {
      const answer = await call('/api/metrics', { headers: { authorization: `Bearer ${wrong}` } })
      expect([answer.status, codeOf(answer)]).toEqual([401, 'token_invalid'])
    }
    for (const sent of [{}, { authorization: METRICS_TOKEN }]) {
      const answer = await call('/api/metrics', { headers: sent })
      expect([answer.status, codeOf(answer)]).toEqual([401, 'token_missing'])
    }
  })

  it('are not there without a token of their own', async () => {
    changeConfig({ metricsToken: null })
    expect(codeOf(await call('/api/metrics'))).toBe('not_found')
  })

  it('come from the same reading as the health, so a scrape costs one call more at most', async () => {
    const first = await costsOf(scrape)
    // Its own call, and as above: the table, its round, Control, the log, the exporter, the daybook, and two partners' limits and ids.
    expect(first).toMatchObject({ calls: 1 + 10, rows: 0 })
    expect(await costsOf(scrape)).toMatchObject({ calls: 1, rows: 0 })
  })

  it('are what the objects know, not what an isolate has counted', async () => {
    await watch()
    const text = await (await scrape()).text()
    expect(text).toContain('fairhouse_rounds_total 0\n')
    expect(text).toContain('fairhouse_part_up{part="table"} 1\n')
    expect(text).toMatch(/^fairhouse_log_entries [1-9]\d*$/m)
    for (const name of ['CrashTable', 'TransparencyLog']) {
      expect(text).toMatch(new RegExp(`^fairhouse_database_bytes{class="${name}"} [1-9]\\d*$`, 'm'))
    }
    expect(text).toMatch(
      /^fairhouse_database_bytes\{class="PartnerIds",partner="demo"\} [1-9]\d*$/m,
    )
    expect(text).toContain('fairhouse_partner_credit_limit{partner="demo",token="ETH"} 100\n')
  })
})

describe('the problems of the configuration', () => {
  it('are reported though the object sleeps between the check and the scrape', async () => {
    const problems = async () => {
      await health(env).stuck()
      await evictDurableObject(health(env))
      return (await (await scrape()).text()).match(/^fairhouse_configuration_problems \d$/m)?.[0]
    }
    expect(await problems()).toBeUndefined()
    await health(env).noteConfiguration(2)
    expect(await problems()).toBe('fairhouse_configuration_problems 2')
    expect((await costsOf(() => health(env).noteConfiguration(2))).rows).toBe(0)
    await health(env).noteConfiguration(0)
    expect(await problems()).toBe('fairhouse_configuration_problems 0')
  })
})

describe('messages that an object cannot deliver', () => {
  it('are counted until they have been delivered', async () => {
    const stuck = (name: string, messages: number) =>
      health(env).noteStuck({ class: 'Ledger', name, messages })
    await stuck('a', 2)
    pass(60_000)
    await stuck('b', 1)
    await stuck('a', 3)
    const { parts } = (await get('/api/health')).body
    expect(parts.outboxes).toMatchObject({ status: 'degraded', ageMs: 60_000 })
    const text = await (await scrape()).text()
    expect(text).toContain('fairhouse_stuck_objects{class="Ledger"} 2\n')
    expect(text).toContain('fairhouse_stuck_messages{class="Ledger"} 4\n')
    expect(text).toContain('fairhouse_stuck_oldest_age_seconds 60\n')
    await stuck('a', 0)
    await stuck('b', 0)
    pass(10_000)
    expect((await get('/api/health')).body.parts.outboxes.status).toBe('up')
  })

  it('are forgotten if their object reports them no more', async () => {
    await health(env).noteStuck({ class: 'Ledger', name: 'a', messages: 1 })
    pass(1_200_001)
    expect((await health(env).facts()).stuck.objects).toBe(0)
  })
})
