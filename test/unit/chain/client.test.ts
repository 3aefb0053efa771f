import { inspect } from 'node:util'
import { withCache } from 'viem'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { askOneNode, chainClient, headOf, isTooLong } from '../../../src/chain/client.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const ANSWER = { jsonrpc: '2.0', id: 1, result: '0x10' }
const answer = async () => Response.json(ANSWER)

let nodes = 0
/** A node without earlier calls, on the chain named in every answer here. */
const freshNode = () => ({ chainId: 16, rpcUrl: `http://node-${++nodes}.test` })

/** The requests sent to fetch, in order. */
function methodsOf(fetching: { mock: { calls: unknown[][] } }): string[] {
  return fetching.mock.calls.map(([, init]) => {
    const { body } = init as { body: string }
    return (JSON.parse(body) as { method: string }).method
  })
}

it('a new client is created for each use and leaves nothing behind', async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(answer)
  const client = chainClient(freshNode())
  expect(await headOf(client)).toBe(16)
  const cacheKey = `blockNumber.${client.uid}`
  expect(await withCache(async () => 'nothing', { cacheKey })).toBe('nothing')
})

describe('the chain id check', () => {
  it('runs once, before any other call, for all clients together', async () => {
    const fetching = vi.spyOn(globalThis, 'fetch').mockImplementation(answer)
    const node = freshNode()
    for (let time = 0; time < 3; time++) await headOf(chainClient(node))
    expect(methodsOf(fetching)).toEqual(['eth_chainId', ...Array(3).fill('eth_blockNumber')])
  })

  it('runs again for another node or chain id', async () => {
    const fetching = vi.spyOn(globalThis, 'fetch').mockImplementation(answer)
    const [one, other] = [freshNode(), freshNode()]
    await headOf(chainClient(one))
    await headOf(chainClient(other))
    await expect(headOf(chainClient({ ...one, chainId: 17 }))).rejects.toThrow()
    const ids = methodsOf(fetching).filter((method) => method === 'eth_chainId')
    expect(ids).toHaveLength(3)
  })

  it('blocks other calls while the node is on the wrong chain', async () => {
    const fetching = vi.spyOn(globalThis, 'fetch').mockImplementation(answer)
    const node = { ...freshNode(), chainId: 1 }
    for (let time = 0; time < 2; time++) await expect(headOf(chainClient(node))).rejects.toThrow()
    expect(methodsOf(fetching)).toEqual(['eth_chainId', 'eth_chainId'])
    fetching.mockImplementation(async () => Response.json({ ...ANSWER, result: '0x1' }))
    expect(await headOf(chainClient(node))).toBe(1)
  })
})

describe('a call to the node', () => {
  it('does not follow redirects', async () => {
    const headers = { location: 'http://attacker.test' }
    const fetching = vi
      .spyOn(globalThis, 'fetch')
      .mockImplementation(async () => new Response('', { status: 307, headers }))
    await expect(headOf(chainClient(freshNode()))).rejects.toThrow()
    expect(fetching).toHaveBeenCalledOnce()
    expect(fetching.mock.calls[0]?.[1]?.redirect).toBe('manual')
  })

  it('ends at its timeout, even while the answer is arriving', async () => {
    vi.useFakeTimers()
    const beginning = {
      pull: () => (vi.advanceTimersByTime(4_000), new Promise<void>(() => {})),
    }
    const begun = new ReadableStream(beginning, { highWaterMark: 0 })
    vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(begun))
    await expect(headOf(chainClient(freshNode()))).rejects.toThrow('it took too long')
  })

  it('leaves no timer behind, which would keep its object in memory', async () => {
    vi.useFakeTimers()
    vi.spyOn(globalThis, 'fetch').mockImplementation(answer)
    await headOf(chainClient(freshNode())).catch(() => {})
    expect(vi.getTimerCount()).toBe(0)
  })

  it('does not read an answer past the size limit', async () => {
    const cancel = vi.fn()
    const endless = () =>
      new ReadableStream({
        pull: (stream) => stream.enqueue(new Uint8Array(1_000).fill(32)),
        cancel,
      })
    const node = freshNode()
    vi.spyOn(globalThis, 'fetch').mockImplementationOnce(answer)
    await headOf(chainClient(node)).catch(() => {})
    vi.mocked(fetch).mockImplementation(async () => new Response(endless()))
    const fault: unknown = await headOf(chainClient(node, 10_000)).catch(
      (thrown: unknown) => thrown,
    )
    expect(isTooLong(fault)).toBe(true)
    expect(cancel).toHaveBeenCalledOnce()
  })
})

describe('a fault of a call to the node', () => {
  const rpcUrl = 'http://user:password1@node.test:8545/v2/abcdef123456?apikey=qwertyuiop'
  const words = `no access to ${rpcUrl}: abcdef123456 has been used up`
  const refusal = { ...ANSWER, result: undefined, error: { code: -32_000, message: words } }

  it.each<[string, () => Promise<Response>]>([
    ['refuses the key', async () => Response.json({ error: words }, { status: 401 })],
    ['answers with a page', async () => new Response(words)],
    ['answers with an error', async () => Response.json(refusal)],
    [
      'answers with an error and another status',
      async () => Response.json(refusal, { status: 429 }),
    ],
    ['answers with an error of its own', async () => Response.json({ ...refusal, error: words })],
    ['cannot be reached', async () => Promise.reject(new TypeError(words))],
  ])('tells nothing of its URL if the node %s', async (_, answerTo) => {
    vi.spyOn(globalThis, 'fetch').mockImplementation(answerTo)
    const node = { chainId: 16, rpcUrl }
    const batch = askOneNode(node, [{ method: 'eth_blockNumber', params: [] }])
    for (const asked of [headOf(chainClient(node)), batch]) {
      const fault: unknown = await asked.catch((thrown: unknown) => thrown)
      expect(fault).toBeInstanceOf(Error)
      expect(inspect(fault, { depth: 10 })).not.toMatch(/node\.test|abcdef|qwerty|user:|password1/)
    }
  })

  it('names the setting instead, and the status', async () => {
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('', { status: 503 }))
    const asked = headOf(chainClient(freshNode()))
    await expect(asked).rejects.toThrow(/Status: 503\nURL: CHAIN_RPC_URL/)
  })
})

it('a name and a password in the URL are sent as a header', async () => {
  const fetching = vi.spyOn(globalThis, 'fetch').mockImplementation(answer)
  await headOf(chainClient({ chainId: 16, rpcUrl: 'http://us%20er:pa%3Ass@named.test/v2/' }))
  const [url, init] = fetching.mock.calls[0]!
  expect(url).toBe('http://named.test/v2/')
  expect(init?.headers).toMatchObject({ authorization: `Basic ${btoa('us er:pa:ss')}` })
})

describe('a batch of calls', () => {
  const calls = ['eth_blockNumber', 'eth_gasPrice'].map((method) => ({ method, params: [] }))

  /** Answers the batches of a node on the right chain. */
  function answerBatches(answerTo: (ids: number[]) => unknown) {
    return vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
      const sent = JSON.parse(init?.body as string) as { id: number } | { id: number }[]
      return Response.json(Array.isArray(sent) ? answerTo(sent.map(({ id }) => id)) : ANSWER)
    })
  }

  it('is one request, whose results come in the order of the calls', async () => {
    const fetching = answerBatches(([first, second]) => [
      { jsonrpc: '2.0', id: second, result: null },
      { jsonrpc: '2.0', id: first, result: '0x10' },
    ])
    const node = freshNode()
    expect(await askOneNode(node, calls)).toEqual(['0x10', null])
    // The first asks for the chain.
    expect(fetching).toHaveBeenCalledTimes(2)
    await expect(askOneNode({ ...node, chainId: 17 }, calls)).rejects.toThrow('on chain 16')
  })

  it.each<[string, (ids: number[]) => unknown]>([
    ['takes no batches', () => ANSWER],
    ['leaves out a call', ([id]) => [{ jsonrpc: '2.0', id, result: '0x10' }, null]],
    [
      'refuses a call',
      ([first, second]) => [
        { jsonrpc: '2.0', id: first, result: '0x10' },
        { jsonrpc: '2.0', id: second, error: { code: -32_005, message: 'http://secret.test' } },
      ],
    ],
  ])('fails without the words of a node that %s', async (_, answerTo) => {
    answerBatches(answerTo)
    const asked = askOneNode(freshNode(), calls)
    await expect(asked).rejects.toThrow(/takes no batches|did not answer eth_gasPrice/)
    await expect(asked).rejects.not.toThrow('secret')
  })
})
