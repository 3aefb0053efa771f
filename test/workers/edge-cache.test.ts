import { runDurableObjectAlarm } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { SOON } from '../shared/soon.ts'
import { costsOf } from './costs.ts'
import { append, appendMany } from './public-log.ts'
import { useStories } from './support.ts'

useStories()

const FULL = ['/log/tile/0/000', '/log/tile/entries/000'] as const
const FILE = '/exports/v1/plays/2039-01-01.jsonl.gz'
const ROWS = 'x'.repeat(1_000)

const read = (path: string, init?: RequestInit) =>
  exports.default.fetch(`http://fairhouse.test${path}`, init)

async function bytesOf(response: Response): Promise<string> {
  expect(response.status).toBe(200)
  return Buffer.from(await response.arrayBuffer()).toString('hex')
}

/** Reads a path until its answer is in the cache, which takes it after the answer. */
async function readUntilKept(path: string): Promise<string> {
  const first = await bytesOf(await read(path))
  const spies = [vi.spyOn(env.EXPORTS, 'get'), vi.spyOn(env.TRANSPARENCY_LOG, 'getByName')]
  await vi.waitFor(async () => {
    for (const spy of spies) spy.mockClear()
    expect(await bytesOf(await read(path))).toBe(first)
    for (const spy of spies) expect(spy).not.toHaveBeenCalled()
  }, SOON)
  return first
}

describe('the cache of a data centre', () => {
  it.each(FULL)('answers a full tile without a call or a read: %s', async (path) => {
    await appendMany(0, 256)
    const first = await readUntilKept(path)
    await runDurableObjectAlarm(env.TRANSPARENCY_LOG.getByName('main'))
    const costs = await costsOf(async () => {
      const again = await read(path)
      expect(again.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(again.headers.get('access-control-allow-origin')).toBe('*')
      expect(await bytesOf(again)).toBe(first)
    })
    expect(costs).toMatchObject({ calls: 0, statements: 0 })
  })

  it('gives each answer an id of its own', async () => {
    await appendMany(0, 256)
    await readUntilKept('/log/tile/0/000')
    const [one, other] = [await read('/log/tile/0/000'), await read('/log/tile/0/000')]
    const idOf = ({ headers }: Response) => headers.get('x-request-id')
    expect(idOf(one)).toMatch(/^[0-9a-f-]{36}$/)
    expect(idOf(one)).not.toBe(idOf(other))
  })

  it('answers HEAD, too', async () => {
    await appendMany(0, 256)
    await readUntilKept('/log/tile/0/000')
    const costs = await costsOf(async () => {
      const { status, headers } = await read('/log/tile/0/000', { method: 'HEAD' })
      expect([status, headers.get('content-type')]).toEqual([200, 'application/octet-stream'])
    })
    expect(costs.calls).toBe(0)
  })

  it.each(['/log/checkpoint', '/log/tile/0/000.p/2', '/log/tile/0/001'])(
    'never has %s',
    async (path) => {
      await append(1, 2)
      const put = vi.spyOn(caches.default, 'put')
      await read(path)
      expect(put).not.toHaveBeenCalled()
    },
  )

  it('is all that a network above its limit reads of the current log', async () => {
    await appendMany(0, 257)
    const [kept] = FULL
    await readUntilKept(kept)
    const limit = vi.spyOn(env.READS, 'limit')
    limit.mockImplementation(async ({ key }) => ({ success: !key.startsWith('log ') }))
    const log = vi.spyOn(env.TRANSPARENCY_LOG, 'getByName')
    const headers = { 'cf-connecting-ip': '2001:db8:1:2::3' }
    for (const path of ['/log/tile/0/001.p/1', '/log/tile/0/001.p/9', '/log/tile/0/001']) {
      expect((await read(path, { headers })).status).toBe(429)
    }
    expect(limit).toHaveBeenLastCalledWith({ key: 'log 2001:db8:1' })
    expect((await read(kept, { headers })).status).toBe(200)
    expect(log).not.toHaveBeenCalled()
  })

  it('has a tile only under the key of its log', async () => {
    await appendMany(0, 256)
    const match = vi.spyOn(caches.default, 'match')
    await read('/log/tile/0/000?version=other')
    const [key] = match.mock.calls[0] ?? []
    expect(key).toMatch(/^http:\/\/fairhouse\.test\/log\/tile\/0\/000\?version=localhost/)
  })

  it('answers a whole file of an export without a read, and no part of it', async () => {
    await env.EXPORTS.put('export/v1/plays/2039-01-01.jsonl.gz', ROWS)
    await readUntilKept(FILE)
    const get = vi.spyOn(env.EXPORTS, 'get')
    const whole = await read(FILE)
    expect(await whole.text()).toBe(ROWS)
    expect(get).not.toHaveBeenCalled()
    const part = await read(FILE, { headers: { range: 'bytes=0-4' } })
    expect([part.status, await part.text()]).toEqual([206, 'xxxxx'])
    const etag = String(whole.headers.get('etag'))
    expect((await read(FILE, { headers: { 'if-none-match': etag } })).status).toBe(304)
    expect(get).toHaveBeenCalledTimes(2)
  })

  it.each([[{ range: 'bytes=0-4' }], [{ 'if-none-match': '"other"' }]])(
    'is not filled by a request for less than a whole file: %o',
    async (headers) => {
      await env.EXPORTS.put('export/v1/plays/2039-01-01.jsonl.gz', ROWS)
      const put = vi.spyOn(caches.default, 'put')
      await (await read(FILE, { headers })).text()
      expect(put).not.toHaveBeenCalled()
    },
  )

  it('is done without where it does not answer', async () => {
    await appendMany(0, 256)
    vi.spyOn(caches.default, 'match').mockRejectedValue(new Error('no cache'))
    vi.spyOn(caches.default, 'put').mockRejectedValue(new Error('no cache'))
    for (const path of FULL) expect((await read(path)).status).toBe(200)
  })
})
