import { numberToHex, pad } from 'viem'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { chainClient, type NodeCall } from '../../../src/chain/client.ts'
import { readConfirmedBlocks, readInHalves, readLogsOfReceipts } from '../../../src/chain/logs.ts'

afterEach(() => vi.restoreAllMocks())

const NODE = { chainId: 16, rpcUrl: 'http://many-logs.test' }

/** A node that answers with the number of each block of a range, in place of its logs. */
function askNode(answerOf: (from: number, to: number) => Response | null): void {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
    const { id, method, params } = JSON.parse(init?.body as string)
    const told = (result: unknown) => Response.json({ jsonrpc: '2.0', id, result })
    if (method === 'eth_chainId') return told('0x10')
    const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }]
    const [from, to] = [Number(fromBlock), Number(toBlock)]
    const blocks = Array.from({ length: to - from + 1 }, (_each, at) => from + at)
    return answerOf(from, to) ?? told(blocks.map((block) => ({ blockNumber: block, topics: [] })))
  })
}

const read = (from: number, to: number) =>
  readInHalves(from, to, async (fromBlock, toBlock) => {
    const logs = await chainClient(NODE).getLogs({ fromBlock, toBlock })
    return logs.map(({ blockNumber }) => Number(blockNumber))
  })

it('a block without transactions has no logs, and no node is asked for an empty batch', async () => {
  const asked: unknown[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
    const body = JSON.parse(init?.body as string)
    asked.push(body.method)
    const result = body.method === 'eth_chainId' ? '0x10' : { hash: pad('0x1'), transactions: [] }
    return Response.json({ jsonrpc: '2.0', id: body.id, result })
  })
  const node = { ...NODE, rpcUrl: 'http://empty-block.test' }
  expect(await readLogsOfReceipts(node, pad('0x2', { size: 20 }), 5n)).toEqual([])
  expect(asked).toEqual(['eth_chainId', 'eth_getBlockByNumber'])
})

describe('the logs of a range of blocks', () => {
  it('are read in halves if the answer is longer than the client takes, so that dust cannot hide deposits', async () => {
    const long = 'x'.repeat(11 * 1_048_576)
    askNode((from, to) => (from < to ? new Response(long) : null))
    expect(await read(4, 8)).toEqual([4, 5, 6, 7, 8])
  })

  it('are not read in halves if the node fails', async () => {
    let calls = 0
    askNode(() => (calls++, new Response('down', { status: 500 })))
    await expect(read(4, 8)).rejects.toThrow()
    expect(calls).toBeLessThan(5)
  })
})

const hashOf = (number: number) => pad(numberToHex(number), { size: 32 })

describe('confirmed blocks', () => {
  const chain = { ...NODE, confirmations: 12 }
  const end = { number: 500, hash: hashOf(500), at: 0 }
  const blockOf = (number: number) => ({ number, hash: hashOf(number), at: 2_000 })
  /** The sizes of the batches. */
  let batches: number[]

  /** A node that has the blocks up to a head, which may change with each batch; it lacks every tenth one. */
  function askBatches(headOf: (batch: number) => number, most = () => 100): void {
    batches = []
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
      const body = JSON.parse(init?.body as string)
      if (!Array.isArray(body)) return Response.json({ jsonrpc: '2.0', id: 1, result: '0x10' })
      const head = headOf(batches.push(body.length) - 1)
      if (body.length > most()) return Response.json({ error: 'too many' }, { status: 400 })
      const answerOf = (number: number) =>
        number <= head && (number % 10 || number === 500)
          ? { hash: hashOf(number), timestamp: '0x2' }
          : null
      return Response.json(
        body.map(({ id, method, params }: NodeCall & { id: number }) => ({
          jsonrpc: '2.0',
          id,
          result: method === 'eth_blockNumber' ? numberToHex(head) : answerOf(Number(params[0])),
        })),
      )
    })
  }

  it('are asked for 48 at a time, each block once', async () => {
    askBatches(() => 511)
    const numbers = Array.from({ length: 120 }, (_, at) => at)
    const blocks = await readConfirmedBlocks(chain, end, [...numbers, ...numbers])
    expect(batches).toEqual([50, 50, 26])
    const expected = numbers.map((number) => [number, number % 10 ? blockOf(number) : null])
    expect([...blocks!]).toEqual(expected)
  })

  it('are asked for a few at a time if the node refuses longer batches', async () => {
    askBatches(
      () => 511,
      () => 5,
    )
    const numbers = Array.from({ length: 9 }, (_, at) => at + 1)
    const blocks = await readConfirmedBlocks(chain, end, numbers)
    expect(batches).toEqual([11, 5, 5, 5])
    expect([...blocks!]).toEqual(numbers.map((number) => [number, blockOf(number)]))
    askBatches(
      () => 511,
      () => 2,
    )
    await expect(readConfirmedBlocks(chain, end, numbers)).rejects.toThrow()
  })

  it('are the lowest alone if the node answers no more calls', async () => {
    const numbers = Array.from({ length: 60 }, (_, at) => 499 - at)
    let left = 1
    askBatches(
      () => 511,
      () => (left-- > 0 ? 100 : 0),
    )
    const blocks = await readConfirmedBlocks(chain, end, numbers)
    expect(batches).toEqual([50, 14, 5, 3])
    expect([...blocks!.keys()]).toEqual(Array.from({ length: 48 }, (_, at) => 440 + at))
  })

  it('are those of a node that confirms the end of the range, at each time', async () => {
    const numbers = Array.from({ length: 60 }, (_, at) => at)
    askBatches((batch) => 511 - batch)
    expect(await readConfirmedBlocks(chain, end, numbers)).toBeNull()
    expect(batches).toHaveLength(2)
    askBatches(() => 511)
    expect(await readConfirmedBlocks(chain, end, [])).toEqual(new Map())
    expect(await readConfirmedBlocks(chain, { ...end, hash: hashOf(1) }, [])).toBeNull()
  })
})
