import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  batchStatus,
  canBatch,
  isAtomic,
  readStatus,
  sendBatch,
} from '../../../../src/play/wallet/batch.ts'

const VAULT = `0x${'5b'.repeat(20)}`
const TOKEN = `0x${'7c'.repeat(20)}`
const HASH = `0x${'ab'.repeat(32)}`
const OTHER_HASH = `0x${'cd'.repeat(32)}`

const batcherOf = (answer: (method: string, params: unknown[]) => unknown) => ({
  provider: {
    request: async ({ method, params = [] }: { method: string; params?: unknown[] }) =>
      method === 'eth_chainId' ? '0x7a69' : answer(method, params),
  },
  address: `0x${'11'.repeat(20)}`,
  chainId: 31_337,
})

const fails = (code: unknown) => () => {
  throw Object.assign(new Error('failed'), { code })
}

describe('a wallet', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it.each<[string, unknown, boolean]>([
    ['on this chain', { '0x7a69': { atomic: { status: 'supported' } } }, true],
    ['only after an upgrade', { '0x7a69': { atomic: { status: 'ready' } } }, false],
    ['on all chains', { '0x0': { atomic: { status: 'supported' } } }, true],
    ['not at all', { '0x7a69': { atomic: { status: 'unsupported' } } }, false],
    ['only on others', { '0x1': { atomic: { status: 'supported' } } }, false],
    [
      'not on this chain',
      {
        '0x0': { atomic: { status: 'supported' } },
        '0x7a69': { atomic: { status: 'unsupported' } },
      },
      false,
    ],
    ['in a form that no standard knows', { '0x7a69': { atomic: true } }, false],
    ['as it does not say', null, false],
  ])('batches atomically %s', (_where, capabilities, expected) => {
    expect(isAtomic(capabilities, '0x7a69')).toBe(expected)
  })

  it('that refuses or forgets to list what it can do does not batch', async () => {
    expect(await canBatch(batcherOf(fails(-32_601)))).toBe(false)
    const asked = canBatch(batcherOf(() => new Promise(() => {})))
    await vi.advanceTimersByTimeAsync(3_000)
    expect(await asked).toBe(false)
  })

  it('that never says what became of a batch leaves it unknown', async () => {
    const { provider } = batcherOf(() => new Promise(() => {}))
    const asked = batchStatus(provider, '0xid', VAULT)
    await vi.advanceTimersByTimeAsync(4_000)
    expect(await Promise.race([asked, Promise.resolve('no answer')])).toEqual({ kind: 'unknown' })
  })
})

describe('a batch', () => {
  const calls = [
    { to: TOKEN, data: '0x01', value: 0n },
    { to: VAULT, data: '0x02', value: 5n },
  ]

  it('is sent with its own id, for all calls or none', async () => {
    const seen: unknown[] = []
    const batcher = batcherOf((...call) => (seen.push(call), { id: '0xid' }))
    expect(await sendBatch(batcher, '0xid', calls)).toBe('0xid')
    expect(seen).toEqual([
      [
        'wallet_sendCalls',
        [
          {
            version: '2.0.0',
            id: '0xid',
            from: batcher.address,
            chainId: '0x7a69',
            atomicRequired: true,
            calls: [
              { to: TOKEN, data: '0x01', value: '0x0' },
              { to: VAULT, data: '0x02', value: '0x5' },
            ],
          },
        ],
      ],
    ])
  })

  it.each<[string, unknown, string]>([
    ['names it otherwise', { id: '0xown' }, '0xown'],
    ['answers as before version 2', '0xown', '0xown'],
    ['answers nothing', undefined, '0xid'],
    ['answers with an empty id', { id: '' }, '0xid'],
  ])('of a wallet that %s is followed by the best known id', async (_what, answer, id) => {
    expect(
      await sendBatch(
        batcherOf(() => answer),
        '0xid',
        calls,
      ),
    ).toBe(id)
  })

  it.each([4001, 4100])('that the player declines with %d was not sent', async (code) => {
    await expect(sendBatch(batcherOf(fails(code)), '0xid', calls)).rejects.toThrow('declined')
  })

  it.each([-32_601, -32_602, 4200, 5700, 5710, 5740, 5750, 5760])(
    'that the wallet cannot do, with %d, was not sent',
    async (code) => {
      expect(await sendBatch(batcherOf(fails(code)), '0xid', calls)).toBeNull()
    },
  )

  it.each([5720, 5730, -32_603, -32_000, undefined, 'timeout'])(
    'may have been sent after the error %s',
    async (code) => {
      expect(await sendBatch(batcherOf(fails(code)), '0xid', calls)).toBe('0xid')
    },
  )
})

describe('what a wallet says of a batch', () => {
  const receipt = (address: string, transactionHash: unknown = HASH, status = '0x1') => ({
    status,
    transactionHash,
    logs: [{ address }],
  })
  const confirmed = { kind: 'confirmed', hash: HASH }

  it.each<[string, unknown, object]>([
    ['it waits', { status: 100 }, { kind: 'pending' }],
    ['it is done', { status: 200, receipts: [receipt(VAULT)] }, confirmed],
    [
      'it is done in several transactions',
      { status: 200, receipts: [receipt(TOKEN, OTHER_HASH), receipt(VAULT.toUpperCase())] },
      confirmed,
    ],
    ['it is done, without logs', { status: 200, receipts: [{ transactionHash: HASH }] }, confirmed],
    ['it is done, without receipts', { status: 200 }, { kind: 'confirmed', hash: null }],
    [
      'it is done, with something else for a hash',
      { status: 200, receipts: [receipt(VAULT, 7)] },
      { kind: 'confirmed', hash: null },
    ],
    ['it was never sent', { status: 400 }, { kind: 'failed' }],
    [
      'it was reverted',
      { status: 500, receipts: [receipt(VAULT, HASH, '0x0')] },
      { kind: 'failed' },
    ],
    ['only the approval is done', { status: 600, receipts: [receipt(TOKEN)] }, { kind: 'failed' }],
    ['a part with the deposit is done', { status: 600, receipts: [receipt(VAULT)] }, confirmed],
    ['nothing', null, { kind: 'unknown' }],
    ['something else', { status: 'CONFIRMED' }, { kind: 'unknown' }],
    ['an unknown code', { status: 900 }, { kind: 'unknown' }],
  ])('is understood if %s', (_what, answer, expected) => {
    expect(readStatus(answer, VAULT)).toEqual(expected)
  })
})
