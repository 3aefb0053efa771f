import { afterEach, expect, it, vi } from 'vitest'
import { readPayment } from '../../../src/chain/payment.ts'
import type { ChainConfig } from '../../../src/config/config.ts'

afterEach(() => vi.unstubAllGlobals())

const HASH = `0x${'ab'.repeat(32)}` as const
const UPPER = `0x${'CD'.repeat(32)}`

const ANSWERS: Record<string, unknown> = {
  eth_chainId: '0x1',
  eth_blockNumber: '0x10',
  eth_getTransactionByHash: { hash: HASH, from: '0x1', to: '0x2', value: '0x5', input: '0x' },
  eth_getTransactionReceipt: { blockNumber: '0xa', blockHash: UPPER, status: '0x1' },
  eth_getBlockByNumber: { number: '0xa', hash: UPPER, timestamp: '0x64', transactions: [] },
}

it('a payment has the hash of its block in lower case, as the roll takes it, however a node writes it', async () => {
  type Asked = { id: number; method: string }
  const answer = ({ id, method }: Asked) => ({ jsonrpc: '2.0', id, result: ANSWERS[method] })
  vi.stubGlobal('fetch', async (_url: string, { body }: { body: string }) => {
    const asked = JSON.parse(body) as Asked | Asked[]
    return Response.json(Array.isArray(asked) ? asked.map(answer) : answer(asked))
  })
  const node = { chainId: 1, rpcUrl: 'http://payments.test' } as ChainConfig
  const payment = await readPayment(node, HASH)
  expect(payment?.mined).toMatchObject({ blockHash: `0x${'cd'.repeat(32)}`, paidAt: 100_000 })
})
