import { afterEach, describe, expect, it, vi } from 'vitest'
import { chainClient } from '../../../src/chain/client.ts'
import { readInHalves } from '../../../src/chain/logs.ts'

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
