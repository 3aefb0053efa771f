import { keccak256 } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { describe, expect, it, vi } from 'vitest'
import { answering, CHAIN_ID, failing, ONE, playUpstreams, rpc, send, TWO } from './rpc-support.ts'
import { pass, useStories } from './support.ts'

useStories()

const account = mnemonicToAccount('test test test test test test test test test test test junk')
const on = { RPC_SEND_TRANSACTIONS: 'true' }
const quiet = () => vi.spyOn(console, 'error').mockImplementation(() => {})

describe('the JSON-RPC proxy under attack', () => {
  it('does not report a transaction as failed if the first upstream accepted it before failing', async () => {
    quiet()
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId: CHAIN_ID,
      to: account.address,
      gas: 21_000n,
    })
    playUpstreams({
      // Accepted, but the answer is lost.
      [ONE]: answering('eth_sendRawTransaction', () => new Response('', { status: 504 })),
      [TWO]: ({ method, params }) => {
        if (method === 'eth_getTransactionByHash') return { hash: params[0] }
        if (method !== 'eth_sendRawTransaction') return undefined
        return failing({ code: -32000, message: 'already known' })
      },
    })
    const { body } = await send(rpc('eth_sendRawTransaction', [raw]), { vars: on })
    expect(body.result).toBe(keccak256(raw))
  })

  it('forwards a valid chain error under HTTP 400, without suspending an upstream', async () => {
    quiet()
    const error = { code: -32602, message: 'invalid argument 0' }
    const four = () => Response.json({ jsonrpc: '2.0', id: 1, error }, { status: 400 })
    const asked = playUpstreams({
      [ONE]: (call) =>
        call.method === 'eth_getBalance'
          ? four()
          : call.method === 'eth_blockNumber'
            ? '0x1'
            : undefined,
      [TWO]: (call) =>
        call.method === 'eth_getBalance'
          ? four()
          : call.method === 'eth_blockNumber'
            ? '0x2'
            : undefined,
    })
    const { body } = await send(rpc('eth_getBalance', ['garbage']), {
      vars: { RPC_UPSTREAMS: { [CHAIN_ID]: [ONE, TWO] } },
    })
    expect(body.error).toEqual(error)
    expect(asked.filter(({ url }) => url === TWO)).toEqual([])
  })

  it.each([
    'query returned more than 10000 results. Try with this block range [0x1, 0x2].',
    'query returned too many results',
    'exceed maximum block range: 2000',
  ])(
    'forwards the error of too broad a log query, without suspending an upstream: %s',
    async (message) => {
      const asked = playUpstreams({
        [ONE]: (call) =>
          call.method === 'eth_getLogs' ? failing({ code: -32005, message }) : undefined,
      })
      const filter = { fromBlock: '0x1', toBlock: '0x2' }
      const { body } = await send(rpc('eth_getLogs', [filter]), {
        vars: { RPC_UPSTREAMS: { [CHAIN_ID]: [ONE, TWO] } },
      })
      expect(body.error).toEqual({ code: -32005, message })
      expect(asked.filter(({ url }) => url === TWO)).toEqual([])
    },
  )

  it('takes the same code for a limit of the node itself otherwise', async () => {
    quiet()
    const limit = { code: -32005, message: 'daily request count exceeded' }
    playUpstreams({
      [ONE]: answering('eth_getLogs', () => failing(limit)),
      [TWO]: answering('eth_getLogs', () => []),
    })
    const { body } = await send(rpc('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x2' }]))
    expect(body.result).toEqual([])
  })

  it('never returns or caches eth_chainId for another chain', async () => {
    let checks = 0
    playUpstreams({ [ONE]: answering('eth_chainId', () => (checks++ === 0 ? undefined : '0x1')) })
    const vars = { RPC_UPSTREAMS: { [CHAIN_ID]: [ONE] } }
    await send(rpc('eth_chainId'), { vars })
    playUpstreams({}) // the upstream has recovered
    pass(3_600_000)
    const { body } = await send(rpc('eth_chainId'), { vars })
    expect(body.result).toBe(`0x${CHAIN_ID.toString(16)}`)
  })

  it('checks the chain of an upstream again after it failed', async () => {
    quiet()
    const vars = { RPC_UPSTREAMS: { [CHAIN_ID]: [ONE] } }
    playUpstreams({ [ONE]: answering('eth_blockNumber', () => '0x1') })
    await send(rpc('eth_blockNumber'), { vars })
    playUpstreams({ [ONE]: () => Promise.reject(new TypeError('lost')) })
    await send(rpc('eth_blockNumber'), { vars })
    pass(31_000)
    playUpstreams({ [ONE]: ({ method }) => (method === 'eth_chainId' ? '0x1' : '0x99') })
    const { body } = await send(rpc('eth_blockNumber'), { vars })
    expect(body.error?.code).toBe(-32603)
  })

  it.each([
    ['invalid JSON', '{'],
    ['too many calls', JSON.stringify(Array.from({ length: 3_000 }, () => 0))],
  ])('counts a rejected body against the limit: %s', async (_what, text) => {
    const keys: string[] = []
    const limit = async ({ key }: { key: string }) => ({ success: keys.push(key) <= 0 })
    const { body } = await send(text, { vars: { RPC_CALLS: { limit } } })
    expect([keys.length > 0, body.error?.code]).toEqual([true, -32005])
  })

  it.each([
    ['the host in capitals', 'no route to ONE-SECRETKEY.TEST', 'https://one-secretkey.test/'],
    ['the first label', 'endpoint one-secretkey is paused', 'https://one-secretkey.rpc.test/'],
    ['a decoded key', 'bad key abc/def+ghi', 'https://one.test/v2/abc%2Fdef+ghi'],
    ['a key in a path parameter', 'bad key s3cr3tkey', 'https://one.test/v2;key=s3cr3tkey'],
    ['a key in a property name', { s3cr3tkey1: 'is bad' }, 'https://one.test/v2/s3cr3tkey1'],
  ])('does not reveal %s in an error', async (_what, told, url) => {
    const error =
      typeof told === 'string' ? { code: 3, message: told } : { code: 3, message: 'x', data: told }
    const href = new URL(url).href
    playUpstreams({ [href]: answering('eth_call', () => failing(error)) })
    const { text } = await send(rpc('eth_call', [{}]), {
      vars: { RPC_UPSTREAMS: { [CHAIN_ID]: [url] } },
    })
    expect(text).toContain('"code":3')
    expect(text).not.toMatch(/secretkey|abc\/def|s3cr3t/i)
  })

  it('does not accept a site origin with a trailing slash', async () => {
    quiet()
    playUpstreams({ [ONE]: answering('eth_blockNumber', () => '0x1') })
    const { status, headers } = await send(rpc('eth_blockNumber'), {
      vars: { SITE_ORIGIN: 'https://play.test/' },
    })
    expect([status, headers.get('access-control-allow-origin')]).not.toEqual([
      200,
      'https://play.test/',
    ])
  })

  it.each([[''], [false], [0], [{}], [[]], ['latest']])(
    'refuses an invalid blockHash: %j',
    async (blockHash) => {
      const asked = playUpstreams({})
      const { body } = await send(rpc('eth_getLogs', [{ blockHash }]))
      expect(body.error?.code).toBe(-32602)
      expect(asked.filter(({ method }) => method === 'eth_getLogs')).toEqual([])
    },
  )

  it('forwards a node’s error without an id as the chain’s', async () => {
    quiet()
    playUpstreams({
      [ONE]: answering('eth_call', () =>
        Response.json({ jsonrpc: '2.0', id: 1, result: null, error: { code: 3, message: 'no' } }),
      ),
    })
    expect((await send(rpc('eth_call', [{}]))).body.error.code).toBe(3)
  })
})
