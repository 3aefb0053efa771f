import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { callData } from '../../../../src/play/wallet/calls.ts'
import { inBrowser } from '../in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const CONTRACT = `0x${'ab'.repeat(20)}`
const PAGE = 100

/** The wallet's boxes, oldest first. */
let owned: { boxId: string; state: string }[]
/** The queries for boxes, each with what was asked for. */
let asked: Record<string, string>[]
/** Refuses to read boxes while set. */
let isDown: boolean

function own(count: number): void {
  owned = Array.from({ length: count }, (_, index) => ({ boxId: `${index}`, state: 'closed' }))
}

/** Answers as the service does. */
function answer(query: Record<string, string>): object {
  const from = Number(query['from'])
  const found = owned.filter(({ boxId }) => boxId === query['boxId'])
  const page = owned.toReversed().slice(from, from + PAGE)
  const next = page.length === PAGE ? from + PAGE : null
  const boxes = query['boxId'] === undefined ? page : found
  return { ok: true, contract: CONTRACT, kinds: [], boxes: structuredClone(boxes), next }
}

beforeEach(() => {
  inBrowser()
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout'] })
  vi.doMock('../../../../src/play/job.ts', async (load) => ({
    ...(await load<object>()),
    MINED: { name: 'sent', ask: async () => ({ isDone: true }) },
  }))
  ;[asked, isDown] = [[], false]
  vi.stubGlobal('fetch', async (path: string, { method }: RequestInit = {}) => {
    if (method === 'POST') {
      const data = callData('open(uint256,uint256,uint256,bytes32,bytes)')
      return Response.json({ ok: true, tx: { to: CONTRACT, value: '0', data } })
    }
    const query = Object.fromEntries(new URL(path, 'https://play.test').searchParams)
    asked.push(query)
    const error = { code: 'chain_unavailable', message: 'The chain cannot be reached.' }
    return Response.json(isDown ? { ok: false, error } : answer(query))
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.doUnmock('../../../../src/play/job.ts')
})

/** Opens the shop of a player who owns this many boxes. */
async function open(count: number) {
  own(count)
  const { session } = await import('../../../../src/play/session.ts')
  const shop = await import('../../../../src/play/boxes/shop.ts')
  session.patch({ credentials: { wallet: WALLET, authSig: '0x' } })
  await shop.readShop()
  const shown = () => shop.shopping.value.shop?.boxes.map(({ boxId }) => Number(boxId)) ?? []
  return { ...shop, shown }
}

/** The numbers of the first boxes in the list of a player who owns this many. */
const newest = (count: number, owns: number) =>
  Array.from({ length: count }, (_, index) => owns - 1 - index)

describe('the box shop of the page', () => {
  it('reads only the newest boxes, however many a wallet has', async () => {
    const { shown } = await open(10_000)
    expect(asked).toHaveLength(1)
    expect(shown()).toEqual(newest(100, 10_000))
  })

  it('reads older boxes on demand, page by page', async () => {
    const { readMore, shopping, shown } = await open(250)
    await readMore()
    expect(shown()).toEqual(newest(200, 250))
    await readMore()
    expect(shown()).toEqual(newest(250, 250))
    expect(shopping.value.shop?.next).toBeNull()
    await readMore()
    expect(asked).toHaveLength(3)
  })

  it('reads a page once, even if it is asked for twice', async () => {
    const { readMore, shown } = await open(250)
    await Promise.all([readMore(), readMore()])
    expect(asked).toHaveLength(2)
    expect(shown()).toEqual(newest(200, 250))
  })

  it('keeps what it has read when a page fails, and reads that page when asked again', async () => {
    const { readMore, readShop, shopping, shown } = await open(250)
    isDown = true
    await readMore()
    await readShop()
    expect(shown()).toEqual(newest(100, 250))
    expect(shopping.value.problem?.code).toBe('chain_unavailable')
    isDown = false
    await readMore()
    expect(shown()).toEqual(newest(200, 250))
    expect(shopping.value.problem).toBeNull()
  })

  it('shows new boxes above those that were read, each once', async () => {
    const { readMore, readShop, shown } = await open(350)
    await readMore()
    own(353)
    await readShop()
    expect(shown()).toEqual(newest(203, 353))
    await readMore()
    expect(shown()).toEqual(newest(300, 353))
  })

  it('shows only the newest page again if boxes may be missing between it and the older ones', async () => {
    const { readMore, readShop, shown } = await open(250)
    await readMore()
    own(500)
    await readShop()
    await readMore()
    expect(shown()).toEqual(newest(200, 500))
  })

  it('no longer shows a box that was sent away', async () => {
    const { readShop, shown } = await open(3)
    owned = owned.filter(({ boxId }) => boxId !== '1')
    await readShop()
    expect(shown()).toEqual([2, 0])
  })

  it('no longer shows a box that was sent away, and shows all others', async () => {
    const { readMore, readShop, shown } = await open(250)
    await readMore()
    // The contract puts the last box in the place of one that leaves.
    owned[120] = owned.pop()!
    await readShop()
    for (let page = 0; page < 3; page++) await readMore()
    expect(shown()).not.toContain(120)
    expect(new Set(shown())).toEqual(new Set(owned.map(({ boxId }) => Number(boxId))))
  })

  it('reveals an old box by looking at it alone', async () => {
    vi.doMock('../../../../src/play/wallet/send.ts', () => ({ send: async () => '0x1' }))
    const { readMore, shopping } = await open(250)
    await readMore()
    const { revealBox } = await import('../../../../src/play/boxes/actions.ts')
    asked = []
    const revealed = revealBox('60')
    await vi.advanceTimersByTimeAsync(5_000)
    expect(asked.length).toBeGreaterThan(3)
    expect(asked).toEqual(asked.map(() => ({ boxId: '60' })))
    owned[60]!.state = 'revealed'
    await vi.advanceTimersByTimeAsync(1_000)
    await revealed
    const stateOf = () => shopping.value.shop?.boxes.find(({ boxId }) => boxId === '60')?.state
    expect(stateOf()).toBe('revealed')
  })

  it('does not show a box again as it was when the list was asked for', async () => {
    const { readBox, readShop, shopping } = await open(1)
    const list = readShop()
    owned[0]!.state = 'revealed'
    await readBox('0')
    await list
    expect(shopping.value.shop?.boxes).toMatchObject([{ state: 'revealed' }])
  })
})
