import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Deposit } from '../../../../src/play/cashier/deposit.ts'
import type { BatchStatus } from '../../../../src/play/wallet/batch.ts'
import type { PublicChain } from '../../../../src/vault/table-config.ts'

const OWNER = `0x${'11'.repeat(20)}`
const CHAIN = { vault: `0x${'5b'.repeat(20)}`, usdg: `0x${'7c'.repeat(20)}` } as PublicChain

/** The chain's latest block; null while it doesn't answer. */
let head: number | null
let logs: object[]

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('location', { hostname: 'play.test' })
  vi.stubGlobal('localStorage', { getItem: () => null, setItem() {}, removeItem() {} })
  vi.stubGlobal('fetch', async (_path: string, { body }: { body: string }) => {
    if (head === null) throw new TypeError('no answer')
    const isHead = (JSON.parse(body) as { method: string }).method === 'eth_blockNumber'
    return Response.json({ result: isHead ? `0x${head.toString(16)}` : logs })
  })
  head = 10
  logs = []
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Looks a batch up whose wallet says this of it. */
async function look(kind: 'failed' | 'unknown', id: string) {
  const { findHash } = await import('../../../../src/play/cashier/batch.ts')
  const batch = { id, owner: OWNER, afterBlock: '0x5' }
  const amounts = { amountWei: '5', creditWei: '5', afterSeq: 0 }
  const deposit: Deposit = { hash: null, token: 'USDG', ...amounts, batch }
  return findHash(CHAIN, deposit, async (): Promise<BatchStatus> => ({ kind }))
}

describe('a deposit in a batch that the wallet calls failed', () => {
  it('is open while the chain does not answer, and its player is told', async () => {
    head = null
    expect(await look('failed', '0x1')).toEqual({ isDone: false, news: 0 })
    vi.setSystemTime(Date.now() + 4_000)
    expect(await look('failed', '0x1')).toEqual({ isDone: false, news: 'unsure' })
  })

  it('has failed only once a few more blocks are without it', async () => {
    expect(await look('failed', '0x2')).toMatchObject({ isDone: false })
    head = 12
    expect(await look('failed', '0x2')).toMatchObject({ isDone: false })
    head = 13
    await expect(look('failed', '0x2')).rejects.toThrow('Nothing was deposited')
  })

  it('is found if it is in a later block all the same', async () => {
    await look('failed', '0x3')
    head = 13
    logs = [{ data: `0x${'5'.padStart(64, '0')}`, transactionHash: '0xab' }]
    expect(await look('failed', '0x3')).toMatchObject({ isDone: true, ticket: { hash: '0xab' } })
  })

  it('is open if more blocks have passed than are searched', async () => {
    head = 5_000
    await look('failed', '0x4')
    head = 5_100
    expect(await look('failed', '0x4')).toMatchObject({ isDone: false })
  })
})

it('a deposit is not in doubt because an earlier one was', async () => {
  await look('unknown', '0x5')
  vi.setSystemTime(Date.now() + 4_000)
  expect(await look('unknown', '0x5')).toMatchObject({ news: 'unsure' })
  expect(await look('unknown', '0x6')).toMatchObject({ news: 0 })
})
