import { mnemonicToAccount } from 'viem/accounts'
import { describe, expect, it, vi } from 'vitest'
import {
  answering,
  CHAIN_ID,
  failing,
  ONE,
  playUpstreams,
  request,
  rpc,
  send,
  type Upstream,
} from './rpc-support.ts'
import { call, useStories } from './support.ts'

useStories()

const BLOCK_HASH = `0x${'ab'.repeat(32)}`

describe('a call', () => {
  it('returns the chain’s result', async () => {
    const asked = playUpstreams({ [ONE]: answering('eth_getBalance', () => '0x5') })
    const { status, body } = await send(rpc('eth_getBalance', ['0xa', 'latest'], 'mine'))
    expect([status, body]).toEqual([200, { jsonrpc: '2.0', id: 'mine', result: '0x5' }])
    expect(asked.at(-1)).toEqual({
      url: ONE,
      method: 'eth_getBalance',
      params: ['0xa', 'latest'],
    })
  })

  it('is forwarded with its numbers unchanged', async () => {
    playUpstreams({})
    const spy = vi.mocked(fetch)
    await send(
      '{"jsonrpc":"2.0","id":1,"method":"eth_feeHistory","params":["0x4","latest",[25.0]]}',
    )
    expect(spy.mock.calls.at(-1)?.[1]?.body).toContain('"params":["0x4","latest",[25.0]]')
  })

  it('may have a result of null, false or an empty value', async () => {
    for (const result of [null, false, '', 0, [], {}]) {
      playUpstreams({
        [ONE]: answering('eth_call', () => Response.json({ jsonrpc: '2.0', id: 1, result })),
      })
      expect((await send(rpc('eth_call', [{}]))).body).toEqual({ jsonrpc: '2.0', id: 1, result })
    }
  })

  it('returns the chain’s own error, without revealing its source', async () => {
    const error = { code: 3, message: `reverted at ${ONE} (one.test)`, data: '0x08c379a0' }
    playUpstreams({ [ONE]: answering('eth_call', () => failing({ ...error, stack: ONE })) })
    const { status, body, text } = await send(rpc('eth_call', [{}]))
    expect(status).toBe(200)
    expect(body.error).toEqual({
      code: 3,
      message: 'reverted at [removed] ([removed])',
      data: '0x08c379a0',
    })
    expect(text).not.toMatch(/secret|one\.test/)
  })

  it('is refused by name if it is not allowed, without asking an upstream', async () => {
    const asked = playUpstreams({})
    for (const method of ['eth_accounts', 'debug_traceCall', 'eth_newFilter', 'admin_peers']) {
      const { status, body } = await send(rpc(method))
      expect([status, body.error.code, body.id]).toEqual([200, -32601, 1])
    }
    expect(asked).toEqual([])
  })

  it('is stateless', async () => {
    const asked = playUpstreams({})
    const { body } = await send(rpc('eth_call', [{}, 'latest', { '0xa': { balance: '0x1' } }]))
    expect(body.error.code).toBe(-32602)
    expect(asked).toEqual([])
  })
})

describe('a batch', () => {
  it('is answered in its order, whichever upstream answers first', async () => {
    const waiting: (() => void)[] = []
    playUpstreams({
      [ONE]: answering('eth_getBalance', async ({ params: [address] }) => {
        if (address === '0x3') for (const go of waiting.toReversed()) go()
        else await new Promise<void>((resolve) => waiting.push(resolve))
        return address
      }),
    })
    const calls = [1, 2, 3].map((id) => rpc('eth_getBalance', [`0x${id}`], id))
    const { body } = await send(calls)
    expect(body).toEqual([1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, result: `0x${id}` })))
  })

  it('answers valid and invalid calls, each with its id', async () => {
    playUpstreams({ [ONE]: answering('eth_blockNumber', () => '0x7') })
    const { body } = await send([
      rpc('eth_blockNumber', [], 'a'),
      rpc('eth_accounts', [], null),
      7,
      { jsonrpc: '2.0', method: 'eth_blockNumber' },
      rpc('eth_getBalance', [], 4),
      rpc('eth_blockNumber', [], 'b'),
    ])
    expect(body.map((each: { id: unknown }) => each.id)).toEqual(['a', null, null, 4, 'b'])
    expect(body.map((each: { error?: { code: number } }) => each.error?.code)).toEqual([
      undefined,
      -32601,
      -32600,
      -32602,
      undefined,
    ])
  })

  it('sends duplicate calls once, and answers each, with the same id or not', async () => {
    const asked = playUpstreams({ [ONE]: answering('eth_blockNumber', () => '0x7') })
    const { body } = await send([1, 1, 2].map((id) => rpc('eth_blockNumber', [], id)))
    expect(body).toEqual([1, 1, 2].map((id) => ({ jsonrpc: '2.0', id, result: '0x7' })))
    expect(asked.filter(({ method }) => method === 'eth_blockNumber')).toHaveLength(1)
  })

  it('shares nothing with another request', async () => {
    const asked = playUpstreams({ [ONE]: answering('eth_blockNumber', () => '0x7') })
    await Promise.all([send(rpc('eth_blockNumber')), send(rpc('eth_blockNumber'))])
    expect(asked.filter(({ method }) => method === 'eth_blockNumber')).toHaveLength(2)
  })

  it('of notifications is carried out without an answer', async () => {
    const asked = playUpstreams({})
    const notification = { jsonrpc: '2.0', method: 'eth_gasPrice', params: [] }
    for (const body of [notification, [notification, notification]]) {
      const { status, text } = await send(body)
      expect([status, text]).toEqual([200, ''])
    }
    expect(asked.map(({ method }) => method)).toContain('eth_gasPrice')
  })

  it('is rejected as a whole if it is empty or has too many calls', async () => {
    const asked = playUpstreams({})
    for (const batch of [
      [],
      Array.from({ length: 21 }, (_, id) => rpc('eth_blockNumber', [], id)),
    ]) {
      const { status, body } = await send(batch)
      expect([status, body.id, body.error.code]).toEqual([200, null, -32600])
    }
    expect(asked).toEqual([])
  })

  it('makes six calls at a time, as many as the platform allows', async () => {
    const batch = (calls: number) =>
      Array.from({ length: calls }, (_, id) => rpc('eth_getBalance', [`0x${id}`], id))
    const waiting: (() => void)[] = []
    let most = 0
    playUpstreams({
      [ONE]: answering('eth_getBalance', async () => {
        const released = new Promise<void>((resolve) => waiting.push(resolve))
        if (waiting.length === 6) {
          for (let turn = 0; turn < 20; turn++) await new Response('time for a seventh').text()
          most = Math.max(most, waiting.length)
          for (const go of waiting.splice(0)) go()
        }
        await released
        return '0x0'
      }),
    })
    expect((await send(batch(18))).body).toHaveLength(18)
    expect(most).toBe(6)
  })
})

describe('a body', () => {
  it('that is not JSON is answered in JSON-RPC', async () => {
    for (const text of ['', '{', 'method=eth_chainId', '[{}', '{"id":1,"id":2}']) {
      const { status, body } = await send(text)
      expect([status, body.id, body.error.code]).toEqual([200, null, -32700])
    }
  })

  it('that is too large is answered in JSON-RPC, with or without a content length', async () => {
    const large = JSON.stringify(rpc('eth_call', [{ data: `0x${'00'.repeat(40_000)}` }]))
    const { status, body } = await send(large)
    expect([status, body.id, body.error.code]).toEqual([200, null, -32600])
    const inPieces = new Response(large).body?.pipeThrough(new TransformStream()) ?? null
    const streamed = await call('/api/rpc', { method: 'POST', body: inPieces })
    expect([streamed.status, streamed.body.error.code]).toEqual([200, -32600])
    expect(streamed.headers.get('access-control-allow-origin')).not.toBeNull()
  })

  it('is read with any content type', async () => {
    playUpstreams({ [ONE]: answering('eth_blockNumber', () => '0x7') })
    const { body } = await send(rpc('eth_blockNumber'), {
      headers: { 'content-type': 'text/plain' },
    })
    expect(body.result).toBe('0x7')
  })
})

describe('logs', () => {
  const logsOf = async (filter: object, upstream: Upstream) => {
    const asked = playUpstreams({ [ONE]: upstream })
    const { body } = await send(rpc('eth_getLogs', [filter]))
    return { body, filter: asked.find(({ method }) => method === 'eth_getLogs')?.params[0] }
  }
  const chain = answering('eth_blockNumber', () => '0x1000')
  const finality: typeof chain = ({ method, params }) =>
    method === 'eth_getBlockByNumber'
      ? { number: params[0] === 'safe' ? '0xff0' : '0xfe0' }
      : chain({ url: ONE, method, params })

  it.each<[object, object]>([
    [{}, { fromBlock: '0x1000', toBlock: '0x1000' }],
    [{ fromBlock: '0x830' }, { fromBlock: '0x830', toBlock: '0x1000' }],
    [
      { fromBlock: 'pending', toBlock: 'latest' },
      { fromBlock: '0x1000', toBlock: '0x1000' },
    ],
    [
      { fromBlock: 'finalized', toBlock: 'safe' },
      { fromBlock: '0xfe0', toBlock: '0xff0' },
    ],
    [
      { fromBlock: 'earliest', toBlock: '0x7d0' },
      { fromBlock: '0x0', toBlock: '0x7d0' },
    ],
    [
      { blockHash: BLOCK_HASH, topics: [] },
      { blockHash: BLOCK_HASH, topics: [] },
    ],
  ])('of %j are requested with %j', async (filter, expected) => {
    expect((await logsOf(filter, finality)).filter).toEqual(expected)
  })

  it.each<[object]>([
    [{ fromBlock: '0x82f' }],
    [{ fromBlock: 'earliest' }],
    [{ fromBlock: 'earliest', toBlock: 'finalized' }],
    [{ fromBlock: '0x1001' }],
    [{ fromBlock: 'latest', toBlock: '0x1' }],
    [{ fromBlock: '0x0', toBlock: '0x7d1' }],
  ])('of %j are refused as too many or reversed', async (filter) => {
    const { body, filter: asked } = await logsOf(filter, finality)
    expect(body.error.code).toBe(-32602)
    expect(asked).toBeUndefined()
  })

  it('of a future block are refused', async () => {
    const { body } = await logsOf({ fromBlock: 'safe' }, chain)
    expect(body.error).toEqual({ code: -32602, message: 'There is no safe block yet.' })
  })
})

describe('a transaction', () => {
  const account = mnemonicToAccount('test test test test test test test test test test test junk')
  const to = account.address
  const sign = (fields: object) => account.signTransaction({ to, gas: 21_000n, ...fields })
  const on = { vars: { RPC_SEND_TRANSACTIONS: 'true' } }
  const sent = { [ONE]: answering('eth_sendRawTransaction', () => BLOCK_HASH) }

  it('is not sent unless sending is enabled', async () => {
    const asked = playUpstreams(sent)
    const raw = await sign({ type: 'eip1559', chainId: CHAIN_ID })
    expect((await send(rpc('eth_sendRawTransaction', [raw]))).body.error.code).toBe(-32601)
    expect(asked).toEqual([])
  })

  it.each([
    ['eip1559', {}],
    ['eip2930', { gasPrice: 1n }],
    ['legacy', { gasPrice: 1n }],
  ])('for the chain is sent: %s', async (type, fields) => {
    playUpstreams(sent)
    const raw = await sign({ type, chainId: CHAIN_ID, ...fields })
    expect((await send(rpc('eth_sendRawTransaction', [raw]), on)).body.result).toBe(BLOCK_HASH)
  })

  it('for another chain, for any chain, or for none is not sent', async () => {
    const asked = playUpstreams(sent)
    const raws = [
      await sign({ type: 'eip1559', chainId: 1 }),
      await sign({ type: 'legacy', chainId: 1, gasPrice: 1n }),
      await sign({ type: 'legacy', gasPrice: 1n }),
      '0x',
      '0x02',
      'raw',
      7,
      null,
    ]
    for (const raw of raws) {
      const { body } = await send(rpc('eth_sendRawTransaction', [raw]), on)
      expect([raw, body.error.code]).toEqual([raw, -32602])
    }
    expect(asked).toEqual([])
  })
})

describe('access from browsers', () => {
  const vars = {
    RPC_ORIGINS: ['https://partner.test'],
    SITE_ORIGIN: 'https://play.test',
    LOG_KEY: '',
  }
  const noisy = () =>
    new Response('{"jsonrpc":"2.0","id":1,"result":"0x7"}', {
      headers: [
        ['access-control-allow-origin', '*'],
        ['access-control-allow-origin', ONE],
        ['set-cookie', 'a=b'],
        ['x-upstream', ONE],
      ],
    })

  it.each([
    ['https://partner.test', 'https://partner.test'],
    ['https://evil.test', 'https://play.test'],
    [undefined, 'https://play.test'],
  ])('from %s: allows %s, once, whatever the upstream returns', async (origin, allowed) => {
    const headers: Record<string, string> = origin ? { origin } : {}
    const answers = [noisy, () => '0x7'].map(async (answer) => {
      playUpstreams({ [ONE]: answering('eth_blockNumber', answer) })
      return send(rpc('eth_blockNumber'), { vars, headers })
    })
    for (const answer of await Promise.all(answers)) {
      expect(answer.body.result).toBe('0x7')
      expect(answer.headers.get('access-control-allow-origin')).toBe(allowed)
      expect(answer.headers.get('vary')).toBe('Origin')
      expect(answer.headers.get('set-cookie')).toBeNull()
      expect(answer.headers.get('x-upstream')).toBeNull()
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('x-request-id')).not.toBeNull()
    }
  })

  it('is described to OPTIONS requests', async () => {
    const { status, headers, text } = await request({ method: 'OPTIONS' }, { vars })
    expect([status, text]).toEqual([204, ''])
    expect(headers.get('access-control-allow-origin')).toBe('https://play.test')
    expect(headers.get('access-control-allow-methods')).toBe('POST, OPTIONS')
    expect(headers.get('access-control-allow-headers')).toBe('content-type')
    expect(headers.get('access-control-max-age')).toBe('7200')
    expect(headers.get('vary')).toBe('Origin')
    const atSlash = await call('/api/rpc/', { method: 'OPTIONS' })
    expect(atSlash.status).toBe(204)
    expect(atSlash.headers.get('access-control-allow-origin')).not.toBeNull()
  })

  it.each(['GET', 'PUT', 'DELETE'])('is not available for %s', async (method) => {
    const { status, headers, body } = await request({ method }, { vars })
    expect([status, body.error.code]).toEqual([405, 'method_not_allowed'])
    expect(headers.get('allow')).toBe('POST, OPTIONS')
    expect(headers.get('access-control-allow-origin')).toBe('https://play.test')
  })

  it('also applies to an internal error', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const broken = { limit: () => Promise.reject(new Error(`lost ${ONE}`)) }
    const { status, headers, body } = await send(rpc('eth_blockNumber'), {
      vars: { ...vars, RPC_CALLS: broken },
    })
    expect([status, body.error.code]).toEqual([200, -32603])
    expect(headers.get('access-control-allow-origin')).toBe('https://play.test')
    expect(logged.mock.calls.flat().join()).toContain(headers.get('x-request-id'))
  })
})

describe('the rate limit', () => {
  it('counts every call of a batch, and stops at the first one above the limit', async () => {
    playUpstreams({ [ONE]: answering('eth_blockNumber', () => '0x7') })
    const keys: string[] = []
    const limit = async ({ key }: { key: string }) => ({ success: keys.push(key) <= 3 })
    const calls = [
      rpc('eth_accounts', [], 0),
      1,
      ...[2, 3, 4].map((id) => rpc('eth_blockNumber', [], id)),
    ]
    const { status, body } = await send(calls, {
      vars: { RPC_CALLS: { limit } },
      headers: { 'cf-connecting-ip': '203.0.113.9' },
    })
    expect(status).toBe(200)
    expect(body.map((each: { error?: { code: number } }) => each.error?.code)).toEqual([
      -32601,
      -32600,
      undefined,
      -32005,
      -32005,
    ])
    expect(keys).toEqual(Array(4).fill('203.0.113.9'))
  })

  it('counts against the network, since an IPv6 site has 65,536 addresses of its own', async () => {
    playUpstreams({ [ONE]: answering('eth_blockNumber', () => '0x7') })
    const keys: string[] = []
    const limit = async ({ key }: { key: string }) => ({ success: keys.push(key) > 0 })
    const headers = { 'cf-connecting-ip': '2001:db8:1:2::1' }
    for (const body of [rpc('eth_blockNumber'), '{'])
      await send(body, { vars: { RPC_CALLS: { limit } }, headers })
    expect(keys).toEqual(['2001:db8:1', '2001:db8:1'])
  })

  it('uses the platform’s limiter', async () => {
    const batch = Array.from({ length: 20 }, (_, id) => rpc('eth_accounts', [], id))
    const headers = { 'cf-connecting-ip': '203.0.113.10' }
    const answers = await Promise.all(Array.from({ length: 30 }, () => send(batch, { headers })))
    const codes = answers.flatMap(({ body }) =>
      body.map((each: { error: { code: number } }) => each.error.code),
    )
    expect(codes.filter((code) => code === -32601).length).toBeGreaterThanOrEqual(200)
    expect(codes).toContain(-32005)
  })
})
