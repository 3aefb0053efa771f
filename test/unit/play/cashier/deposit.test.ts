import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Activity } from '../../../../src/activity/activity.ts'
import type { Deposit } from '../../../../src/play/cashier/deposit.ts'
import type { PublicChain } from '../../../../src/vault/table-config.ts'
import { inBrowser } from '../in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const CHAIN = { vault: `0x${'5b'.repeat(20)}`, confirmations: 12 } as PublicChain
const DEPOSIT: Deposit = {
  hash: '0xAB',
  token: 'ETH',
  amountWei: '5',
  creditWei: '5',
  afterSeq: 3,
}

/** What the chain and the service answer. */
let receipt: object | null
let head: string
let chips: string
/** By the `before` of their query: pages of deposits. */
let pages: Record<string, { entries: Partial<Activity>[]; next: number | null }>

beforeEach(() => {
  inBrowser()
  vi.useFakeTimers()
  receipt = { status: '0x1', blockNumber: '0x5' }
  head = '0x20'
  chips = '0'
  pages = {}
  vi.stubGlobal('fetch', async (path: string, init: { body?: string }) => {
    const { pathname, searchParams } = new URL(path, 'https://play.test')
    if (pathname === '/api/history') {
      expect(searchParams.get('kind')).toBe('deposit')
      const page = pages[searchParams.get('before') ?? ''] ?? { entries: [], next: null }
      return Response.json({ ok: true, ...page })
    }
    if (pathname === '/api/crash') {
      return Response.json({ ok: true, me: { chips: { ETH: chips, USDG: '0' } } })
    }
    const { method } = JSON.parse(init.body ?? '') as { method: string }
    return Response.json({ result: method === 'eth_getTransactionReceipt' ? receipt : head })
  })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

async function follow(deposit: Deposit) {
  const { session } = await import('../../../../src/play/session.ts')
  const { depositJob, depositing } = await import('../../../../src/play/cashier/deposit.ts')
  session.patch({ credentials: { wallet: WALLET, authSig: '0x' } })
  session.patch({ player: session.value.credentials })
  void depositJob(CHAIN).follow(deposit)
  await vi.advanceTimersByTimeAsync(2_000)
  return depositing
}

it('a deposit that a reorganisation removes permanently frees the form after three minutes', async () => {
  head = '0x6'
  const depositing = await follow(DEPOSIT)
  expect(depositing.value).toMatchObject({ step: 'confirming', news: 2 })
  receipt = null
  await vi.advanceTimersByTimeAsync(170_000)
  expect(depositing.value.step).toBe('confirming')
  await vi.advanceTimersByTimeAsync(15_000)
  expect(depositing.value).toMatchObject({ step: 'idle', ticket: null })
  expect(depositing.value.problem?.message).toContain('not in a block')
})

describe('a confirmed deposit', () => {
  const credited = { seq: 9, token: 'ETH', amountWei: '5', txHash: '0xab' } as const

  it('waits for its own credit while other chips arrive', async () => {
    chips = '100'
    pages = { '': { entries: [{ ...credited, txHash: '0xcd' }], next: null } }
    const depositing = await follow(DEPOSIT)
    expect(depositing.value.step).toBe('waiting')
    pages[''] = { entries: [credited], next: null }
    await vi.advanceTimersByTimeAsync(2_000)
    expect(depositing.value.step).toBe('done')
  })

  it('is credited although its player has bet the chips since', async () => {
    pages = { '': { entries: [credited], next: null } }
    expect((await follow(DEPOSIT)).value.step).toBe('done')
  })

  it('is found behind a page without deposits', async () => {
    pages = { '': { entries: [], next: 40 }, '40': { entries: [credited], next: 9 } }
    expect((await follow(DEPOSIT)).value.step).toBe('done')
  })

  it('is not looked for among entries from before it', async () => {
    pages = { '': { entries: [], next: 3 }, '3': { entries: [credited], next: null } }
    expect((await follow(DEPOSIT)).value.step).toBe('waiting')
  })

  it('whose transaction the wallet does not name is a later one of the same amount', async () => {
    pages = {
      '': {
        entries: [
          { ...credited, seq: 3 },
          { ...credited, amountWei: '6' },
        ],
        next: null,
      },
    }
    const depositing = await follow({ ...DEPOSIT, hash: null })
    expect(depositing.value.step).toBe('waiting')
    pages[''] = { entries: [credited], next: null }
    await vi.advanceTimersByTimeAsync(2_000)
    expect(depositing.value.step).toBe('done')
  })
})
