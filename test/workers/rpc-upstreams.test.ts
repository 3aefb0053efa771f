import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { app } from '../../src/app.ts'
import { SOON } from '../shared/soon.ts'
import {
  answering,
  CHAIN_ID,
  failing,
  ONE,
  playUpstreams,
  rpc,
  send,
  THREE,
  TWO,
} from './rpc-support.ts'
import { useStories } from './support.ts'

useStories()

/** Not a hash of another file's: blocks are cached for as long as the runtime runs. */
const BLOCK_HASH = `0x${'b10c'.repeat(16)}`

describe('an upstream', () => {
  const good = answering('eth_blockNumber', () => '0x2')
  const bad = (answer: () => unknown) => answering('eth_blockNumber', answer)

  it.each<[string, () => unknown]>([
    ['is dead', () => Promise.reject(new TypeError('Network connection lost'))],
    ['is broken', () => Response.json({ jsonrpc: '2.0', id: 1, result: '0x1' }, { status: 500 })],
    ['exceeds its limit', () => new Response('slow down', { status: 429 })],
    ['reports that its limit is exceeded', () => failing({ code: -32005, message: 'limit' })],
    ['reports an HTTP status as its error code', () => failing({ code: 429, message: 'limit' })],
    [
      'returns an HTML page',
      () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
    ],
    ['redirects', () => Response.redirect('https://evil.test/', 307)],
    ['returns nothing', () => new Response('')],
    ['has no body', () => new Response(null, { status: 204 })],
    ['returns something else', () => Response.json({ hello: 'world' })],
    ['returns null', () => Response.json(null)],
    ['answers another call', () => Response.json({ jsonrpc: '2.0', id: 2, result: '0x1' })],
    ['answers without an id', () => Response.json({ jsonrpc: '2.0', result: '0x1' })],
    ['answers a batch', () => Response.json([{ jsonrpc: '2.0', id: 1, result: '0x1' }])],
    ['has neither result nor error', () => Response.json({ jsonrpc: '2.0', id: 1 })],
    ['has an error that is a string', () => failing('no')],
    ['has an error without a code', () => failing({ message: 'no' })],
    ['has an error without a message', () => failing({ code: 1 })],
    ['has an error whose code is a string', () => failing({ code: '3', message: 'no' })],
    [
      'has an error whose message is not a string',
      () => failing({ code: 3, message: { url: 'no' } }),
    ],
    [
      'has an error of another call',
      () => Response.json({ jsonrpc: '2.0', id: 2, error: { code: 3, message: 'no' } }),
    ],
  ])('that %s is skipped', async (_what, answer) => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const asked = playUpstreams({ [ONE]: bad(answer), [TWO]: good })
    const { status, body } = await send(rpc('eth_blockNumber'))
    expect([status, body]).toEqual([200, { jsonrpc: '2.0', id: 1, result: '0x2' }])
    expect(asked.every(({ url }) => !url.includes('evil'))).toBe(true)
    expect(logged).toHaveBeenCalledOnce()
    expect(logged.mock.calls.flat().join()).not.toMatch(/secret|\.test/)
    // It is suspended: the next call does not wait for it.
    asked.length = 0
    await send(rpc('eth_blockNumber'))
    expect(asked.map(({ url }) => url)).toEqual([TWO])
  })

  it('that is slow is abandoned after five seconds, and its call is cancelled', async () => {
    const timers = driveTimeouts()
    const asked = playUpstreams({
      [ONE]: bad(() => new Promise(() => {})),
      [TWO]: good,
    })
    const real = vi.mocked(fetch).getMockImplementation()
    vi.mocked(fetch).mockImplementation(
      (input, init) =>
        Promise.race([real?.(input, init), untilAborted(init?.signal)]) as Promise<Response>,
    )
    const answer = send(rpc('eth_blockNumber'))
    await vi.waitFor(() => expect(asked.at(-1)?.method).toBe('eth_blockNumber'), {
      timeout: 30_000,
    })
    expect(timers.map(({ ms }) => ms)).toEqual([5_000])
    timers[0]?.end()
    expect((await answer).body.result).toBe('0x2')
  })

  it('that stops in the middle of its answer is abandoned as well', async () => {
    const timers = driveTimeouts()
    const cancelled = vi.fn()
    const body = () =>
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode('{"jsonrpc":"2.0",')),
        cancel: cancelled,
      })
    const asked = playUpstreams({ [ONE]: bad(() => new Response(body())), [TWO]: good })
    const answer = send(rpc('eth_blockNumber'))
    await vi.waitFor(() => expect(asked.at(-1)?.method).toBe('eth_blockNumber'), {
      timeout: 30_000,
    })
    timers[0]?.end()
    expect((await answer).body.result).toBe('0x2')
    expect(cancelled).toHaveBeenCalledOnce()
  })

  it('that sends more than 5 MiB is cut off, and the caller is informed', async () => {
    let sent = 0
    const endless = () =>
      new ReadableStream({
        pull: (controller) => {
          sent += 1
          controller.enqueue(new Uint8Array(1_048_576).fill(32))
        },
      })
    playUpstreams({
      [ONE]: bad(() => new Response(endless())),
      [TWO]: bad(() => new Response(endless())),
      [THREE]: bad(() => new Response(endless())),
    })
    const { status, body } = await send(rpc('eth_blockNumber'))
    expect([status, body.error.code]).toEqual([200, -32603])
    expect(body.error.message).toContain('too large')
    expect(sent).toBeLessThan(20)
  })

  it('that sends too much is replaced by one that does not', async () => {
    playUpstreams({ [ONE]: bad(() => 'x'.repeat(6 * 1_048_576)), [TWO]: good })
    expect((await send(rpc('eth_blockNumber'))).body.result).toBe('0x2')
  })

  it('may send 5 MiB', async () => {
    const result = 'x'.repeat(5 * 1_048_576 - 2)
    playUpstreams({ [ONE]: bad(() => result) })
    expect((await send(rpc('eth_blockNumber'))).body.result).toBe(result)
  })

  it('is read up to 10 MiB for one request, however many calls it contains', async () => {
    const result = 'x'.repeat(4 * 1_048_576)
    playUpstreams({ [ONE]: answering('eth_getCode', () => result) })
    const batch = [1, 2, 3, 4].map((id) => rpc('eth_getCode', [`0x${id}`], id))
    const { body } = await send(batch, { vars: { RPC_UPSTREAMS: { [CHAIN_ID]: [ONE] } } })
    const whole = body.filter((each: { result?: string }) => each.result === result)
    expect(whole.length).toBeLessThanOrEqual(2)
    expect(body.length).toBe(4)
    for (const { error } of body) expect([undefined, -32603]).toContain(error?.code)
  })

  it('returns at most 10 MiB, even if equal calls share a result', async () => {
    const result = 'x'.repeat(3 * 1_048_576)
    playUpstreams({ [ONE]: answering('eth_getCode', () => result) })
    const { body } = await send([1, 2, 3, 4, 5].map((id) => rpc('eth_getCode', ['0x1'], id)))
    const codes = body.map((each: { error?: { code: number } }) => each.error?.code)
    expect(codes).toEqual([undefined, undefined, undefined, -32603, -32603])
  })

  it('is read up to 24 MiB for all requests at once, save for small answers, until they are answered', async () => {
    const result = 'x'.repeat(4 * 1_048_576)
    const [small, medium] = ['x'.repeat(200 * 1_024), 'x'.repeat(300 * 1_024)]
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    playUpstreams({
      [ONE]: async ({ method, params }) => {
        if (method !== 'eth_getCode') return undefined
        if (params[0] === '0xsmall') return small
        if (params[0] === '0xmedium') return medium
        if (params[0] === '0xlast') await answered
        return result
      },
    })
    const vars = { RPC_UPSTREAMS: { [CHAIN_ID]: [ONE] } }
    const held = [1, 2, 3].map((id) => {
      const codes = [`0x${id}1`, `0x${id}2`, '0xlast']
      return send(
        codes.map((code) => rpc('eth_getCode', [code], code)),
        { vars },
      )
    })
    await vi.waitFor(async () => {
      const { body } = await send(rpc('eth_getCode', ['0xmedium']), { vars })
      expect(body.error?.code).toBe(-32005)
    }, SOON)
    expect((await send(rpc('eth_getCode', ['0xsmall']), { vars })).body.result).toBe(small)
    answer()
    await Promise.all(held)
    expect((await send(rpc('eth_getCode', ['0x9']), { vars })).body.result).toBe(result)
  })

  it('is repeated up to 24 MiB for all requests at once, until their answers are sent', async () => {
    const block = { hash: `0x${'feed'.repeat(16)}`, transactions: 'x'.repeat(500 * 1_024) }
    const asked = playUpstreams({ [ONE]: answering('eth_getBlockByHash', () => block) })
    const vars = { RPC_UPSTREAMS: { [CHAIN_ID]: [ONE] } }
    const read = (id: number) => rpc('eth_getBlockByHash', [block.hash, true], id)
    await send(read(0), { vars })
    const before = asked.length
    const body = JSON.stringify(Array.from({ length: 20 }, (_, id) => read(id)))
    const post = () => app.request('/api/rpc', { method: 'POST', body }, { ...env, ...vars })
    const answers: Response[] = []
    for (let call = 0; call < 8; call++) answers.push(await post())
    const texts = await Promise.all(answers.map((each) => each.text()))
    expect(texts.join('').length).toBeLessThan(26 * 1_048_576)
    expect(texts.at(-1)).toContain('Too many large results at once.')
    expect(asked).toHaveLength(before)
    expect(await (await post()).text()).not.toContain('error')
  })

  it('on another chain is never trusted, and identified only by its position', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const asked = playUpstreams({
      [ONE]: ({ method }) => (method === 'eth_chainId' ? '0x1' : '0xbad'),
      [TWO]: good,
    })
    expect((await send(rpc('eth_blockNumber'))).body.result).toBe('0x2')
    expect(asked.filter(({ url }) => url === ONE).map(({ method }) => method)).toEqual([
      'eth_chainId',
    ])
    expect(JSON.parse(String(logged.mock.calls[0]?.[0]))).toEqual({
      level: 'error',
      event: 'rpc_upstream_failed',
      message: 'wrong_chain',
      chainId: CHAIN_ID,
      upstream: 0,
    })
  })

  it.each([true, ['0x7a69'], 31_337, '31337', null, {}])(
    'with the chain id %j is not trusted',
    async (chain) => {
      playUpstreams({
        [ONE]: ({ method }) =>
          method === 'eth_chainId'
            ? Response.json({ jsonrpc: '2.0', id: 1, result: chain })
            : '0xbad',
        [TWO]: good,
      })
      expect((await send(rpc('eth_blockNumber'))).body.result).toBe('0x2')
    },
  )

  it('is asked for its chain once, not for every call', async () => {
    const asked = playUpstreams({ [ONE]: good })
    await send(Array.from({ length: 6 }, (_, id) => rpc('eth_getCode', [`0x${id}`], id)))
    await send(rpc('eth_blockNumber'))
    expect(asked.filter(({ method }) => method === 'eth_chainId')).toHaveLength(1)
  })

  it('that has recovered is asked first again', async () => {
    const asked = playUpstreams({
      [ONE]: bad(() => new Response('', { status: 503 })),
      [TWO]: good,
    })
    await send(rpc('eth_blockNumber'))
    vi.setSystemTime(Date.now() + 30_000)
    asked.length = 0
    await send(rpc('eth_blockNumber'))
    expect(asked[0]?.url).toBe(ONE)
  })

  it('causes an error only if all others fail too', async () => {
    playUpstreams({})
    vi.mocked(fetch).mockRejectedValue(new TypeError(`no route to ${ONE}`))
    const { status, body, text } = await send(rpc('eth_blockNumber'))
    expect([status, body.error.code]).toEqual([200, -32603])
    expect(text).not.toMatch(/secret|\.test/)
  })
})

describe('the block cache', () => {
  it('keeps a block requested by its hash, but not null', async () => {
    let block: unknown = null
    const asked = playUpstreams({ [ONE]: answering('eth_getBlockByHash', () => block) })
    const read = async () =>
      (await send(rpc('eth_getBlockByHash', [BLOCK_HASH, false]))).body.result
    expect(await read()).toBeNull()
    expect(await read()).toBeNull()
    block = { hash: BLOCK_HASH, number: '0x1' }
    expect(await read()).toEqual(block)
    expect(await read()).toEqual(block)
    expect(asked.filter(({ method }) => method === 'eth_getBlockByHash')).toHaveLength(3)
  })

  it('keeps chains separate', async () => {
    const other = { RPC_UPSTREAMS: { '5': [TWO] } }
    playUpstreams({
      [ONE]: answering('net_version', () => '31337'),
      [TWO]: ({ method }) => ({ eth_chainId: '0x5', net_version: '5' })[method],
    })
    expect((await send(rpc('net_version'))).body.result).toBe('31337')
    const elsewhere = await send(rpc('net_version'), { vars: other, query: '?chain=5' })
    expect(elsewhere.body.result).toBe('5')
  })
})

describe('the chain', () => {
  it('is the named one, or the service’s own', async () => {
    const vars = { RPC_UPSTREAMS: { '5': [TWO], [CHAIN_ID]: [ONE] } }
    playUpstreams({
      [ONE]: answering('eth_blockNumber', () => '0x1'),
      [TWO]: ({ method }) => (method === 'eth_chainId' ? '0x5' : '0x2'),
    })
    const at = async (query: string) =>
      (await send(rpc('eth_blockNumber'), { vars, query })).body.result
    expect(await at('')).toBe('0x1')
    expect(await at(`?chain=${CHAIN_ID}`)).toBe('0x1')
    expect(await at('?chain=5')).toBe('0x2')
  })

  it('uses the configured node if no upstream is listed for it', async () => {
    playUpstreams({ [TWO]: answering('eth_blockNumber', () => '0x2') })
    const vars = { RPC_UPSTREAMS: '', CHAIN_RPC_URL: TWO }
    expect((await send(rpc('eth_blockNumber'), { vars })).body.result).toBe('0x2')
  })

  it('may be listed in a secret', async () => {
    playUpstreams({ [TWO]: answering('eth_blockNumber', () => '0x2') })
    const vars = { RPC_UPSTREAMS: JSON.stringify({ [CHAIN_ID]: [TWO] }) }
    expect((await send(rpc('eth_blockNumber'), { vars })).body.result).toBe('0x2')
  })

  it.each(['?chain=2', '?chain=', '?chain=0x7a69', '?chain=031337', '?chain=constructor'])(
    'that is unknown is reported for every call: %s',
    async (query) => {
      const asked = playUpstreams({})
      const { status, body } = await send(
        [rpc('eth_blockNumber', [], 1), rpc('eth_blockNumber', [], 2)],
        { query },
      )
      expect(status).toBe(200)
      expect(body.map((each: { error: { code: number } }) => each.error.code)).toEqual([
        -32602, -32602,
      ])
      expect(asked).toEqual([])
    },
  )

  it('that is not configured is an internal error', async () => {
    const { body } = await send(rpc('eth_blockNumber'), { vars: { RPC_UPSTREAMS: {} } })
    expect(body.error).toEqual({ code: -32603, message: 'No chain is configured on this site.' })
  })

  it.each([
    { RPC_UPSTREAMS: { '0': [ONE] } },
    { RPC_UPSTREAMS: { '1': [] } },
    { RPC_UPSTREAMS: { '1': ['ftp://secret.test'] } },
    { RPC_UPSTREAMS: '{"1":["secret"]}' },
    { RPC_UPSTREAMS: 'secret' },
    { RPC_ORIGINS: ['https://a.test/'] },
    { RPC_SEND_TRANSACTIONS: 'yes' },
  ])('is not configured by %j', async (vars) => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { status, text } = await send(rpc('eth_blockNumber'), { vars })
    expect(status).toBe(503)
    expect(text + logged.mock.calls.flat().join()).not.toContain('secret')
  })
})

/** Timeouts under the test's control. */
function driveTimeouts(): { ms: number; end(): void }[] {
  const timers: { ms: number; end(): void }[] = []
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const controller = new AbortController()
    timers.push({ ms, end: () => controller.abort(new DOMException('late', 'TimeoutError')) })
    return controller.signal
  })
  return timers
}

function untilAborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error))
  })
}
