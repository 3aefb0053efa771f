import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { tierOfBox } from '../../../../src/box-nft/tier.ts'
import { commitmentOf } from '../../../../src/fairness/seed.ts'
import { isFailure } from '../../../../src/play/api.ts'
import type { Shop } from '../../../../src/play/boxes/shop.ts'
import { inBrowser } from '../in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const CONTRACT = `0x${'ab'.repeat(20)}`
const BOX = '77'
const [PEPPER, OTHER] = ['aa', 'bb'].map((byte) => byte.repeat(32)) as [string, string]
const TIERS = [{ label: 'Only', bps: 10_000, prize: '1' }]

beforeEach(() => {
  inBrowser()
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout'] })
  vi.doMock('../../../../src/play/wallet/send.ts', () => ({ send: async () => '0x1' }))
  vi.doMock('../../../../src/play/job.ts', async (load) => ({
    ...(await load<object>()),
    MINED: { name: 'mining', ask: async () => ({ isDone: true }) },
  }))
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.doUnmock('../../../../src/play/job.ts')
})

/** A box as a house tells of it, once its batch has ended. */
const boxOf = (batch: number, pepper: string) => ({
  boxId: BOX,
  kind: 1,
  state: 'revealed',
  batch,
  pepper,
  pepperHash: commitmentOf(pepper),
  tier: tierOfBox(BigInt(BOX), pepper, [{ bps: 10_000, prize: 1n }]),
  prize: '1',
})

/** Buys the box while these batches are on sale, before and after. */
async function buy(batches: { number: number; pepper: string }[]): Promise<void> {
  const { session } = await import('../../../../src/play/session.ts')
  const { shopping } = await import('../../../../src/play/boxes/shop.ts')
  const { callData } = await import('../../../../src/play/wallet/calls.ts')
  const { BOUGHT_TOPIC, buyBox } = await import('../../../../src/play/boxes/actions.ts')
  const tx = { to: CONTRACT, value: '5', data: callData('buy(uint256)', 1) }
  const kinds = [{ kind: 1, price: '5', isForSale: true, tiers: TIERS }]
  const word = (text: string) => text.padStart(64, '0')
  let reads = 0
  vi.stubGlobal('fetch', async (path: string, { method, body }: RequestInit = {}) => {
    if (path.startsWith('/api/rpc')) {
      if ((body as string).includes('eth_getCode')) return Response.json({ result: '0x' })
      if ((body as string).includes('Receipt')) {
        const topics = [BOUGHT_TOPIC, `0x${word(Number(BOX).toString(16))}`]
        return Response.json({ result: { logs: [{ topics }] } })
      }
      const { number, pepper } = batches[reads++]!
      return Response.json({ result: `0x${word(number.toString(16))}${commitmentOf(pepper)}` })
    }
    if (method === 'POST') return Response.json({ ok: true, tx })
    const boxes = [{ boxId: BOX, kind: 1 }]
    return Response.json({ ok: true, contract: CONTRACT, kinds, boxes, next: null })
  })
  session.patch({ credentials: { wallet: WALLET, authSig: '0x' } })
  const shop = { contract: CONTRACT, kinds, boxes: [] } as unknown as Shop
  shopping.set({ owner: WALLET, shop, isReading: false, problem: null })
  const bought = buyBox(1)
  await vi.advanceTimersByTimeAsync(10_000)
  await bought
  expect(reads).toBe(2)
}

/** Proves the box that the house tells of like this. */
async function proofOf(box: object, tiers = TIERS) {
  vi.stubGlobal('fetch', async () =>
    Response.json({ ok: true, boxes: [box], kinds: [{ kind: 1, tiers }] }),
  )
  const { proveBox } = await import('../../../../src/play/verify/box.ts')
  const proof = await proveBox(BOX)
  if (isFailure(proof)) throw new Error(proof.error.message)
  const broken = proof.checks.filter(({ holds }) => !holds).map(({ claim }) => claim)
  return { broken, note: proof.note, checks: proof.checks }
}

const [THIRD, FOURTH] = [
  { number: 3, pepper: PEPPER },
  { number: 4, pepper: OTHER },
]
const UNSEEN = expect.stringContaining('did not see this batch on sale')

describe('a box bought on the page', () => {
  it('verifies if it is of the batch that was on sale', async () => {
    await buy([THIRD, THIRD])
    expect(await proofOf(boxOf(3, PEPPER))).toMatchObject({ broken: [], note: undefined })
  })

  it('is caught if the house says that it is of another batch', async () => {
    await buy([THIRD, THIRD])
    expect((await proofOf(boxOf(4, OTHER))).broken).toEqual([
      'the pepper hash is the one you saw before you bought the box',
    ])
  })

  it('may be of either batch if they changed during the purchase', async () => {
    await buy([THIRD, FOURTH])
    expect((await proofOf(boxOf(3, PEPPER))).broken).toEqual([])
    expect((await proofOf(boxOf(4, OTHER))).broken).toEqual([])
  })

  describe('is caught if the house names other tiers than were shown before', () => {
    const LESS = [{ label: 'Only', bps: 10_000, prize: '0' }]
    const ALTERED = ['its odds and prizes are those shown before you bought the box']

    it.each([
      ['once its pepper is published', { ...boxOf(3, PEPPER), prize: '0' }],
      ['while its pepper is secret', { ...boxOf(3, PEPPER), pepper: null, prize: '0' }],
    ])('%s', async (_when, box) => {
      await buy([THIRD, THIRD])
      expect((await proofOf(box, LESS)).broken).toEqual(ALTERED)
    })

    it('even if its batch changed during the purchase', async () => {
      await buy([THIRD, FOURTH])
      expect((await proofOf({ ...boxOf(3, PEPPER), prize: '0' }, LESS)).broken).toEqual(ALTERED)
    })
  })

  it('is not called verified while its pepper is secret', async () => {
    await buy([THIRD, THIRD])
    expect((await proofOf({ ...boxOf(3, PEPPER), pepper: null })).checks).toEqual([])
  })

  it('is not confirmed silently if this browser did not see its batch', async () => {
    expect(await proofOf(boxOf(4, OTHER))).toMatchObject({ broken: [], note: UNSEEN })
  })
})
