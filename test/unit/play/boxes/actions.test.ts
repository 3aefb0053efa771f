import { encodeEventTopics } from 'viem'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { boxNftAbi } from '../../../../src/chain/abi.ts'
import type { Shop } from '../../../../src/play/boxes/shop.ts'
import { callData } from '../../../../src/play/wallet/calls.ts'
import { inBrowser } from '../in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const CONTRACT = `0x${'Ab'.repeat(20)}`
const AWARD = `0x${'5b'.repeat(20)}`
const BUY = callData('buy(uint256)', 1)
const CLAIM = callData('claim(uint256,bytes32)', 1, 1)
const SHOP = {
  contract: CONTRACT,
  kinds: [{ kind: 1, price: '5', isForSale: true, tiers: [] }],
  boxes: [],
  next: null,
}

/** The receipt of a purchase. */
const receiptOf = (boxId: bigint) => ({
  status: '0x1',
  blockNumber: '0x1',
  logs: [{ topics: encodeEventTopics({ abi: boxNftAbi, eventName: 'Bought', args: { boxId } }) }],
})

beforeEach(() => void inBrowser())
afterEach(() => void vi.unstubAllGlobals())

/**
 * Buys a box for 5 wei, or reveals or claims one. Returns the transactions that the wallet was asked to send.
 * @param code of the player's account
 */
async function sentFor(
  tx: { to: string; value: string; data: string },
  action: 'buy' | 'reveal' | 'claim' = 'buy',
  code = '0x',
): Promise<object[]> {
  const sent: object[] = []
  // A module that is loaded already would send to the former list.
  vi.resetModules()
  vi.doMock('../../../../src/play/wallet/send.ts', () => ({
    async send(transaction: object) {
      sent.push(transaction)
      const { WalletError } = await import('../../../../src/play/wallet/wallet.ts')
      throw new WalletError('The test sends nothing.')
    },
  }))
  vi.stubGlobal('fetch', async (path: string) =>
    Response.json(path === '/api/rpc' ? { result: code } : { ok: true, tx }),
  )
  const { session } = await import('../../../../src/play/session.ts')
  const { shopping } = await import('../../../../src/play/boxes/shop.ts')
  const { buyBox, claimBox, revealBox } = await import('../../../../src/play/boxes/actions.ts')
  session.patch({ credentials: { wallet: WALLET, authSig: '0x' } })
  shopping.patch({ shop: SHOP as Partial<Shop> as Shop })
  const act = { buy: () => buyBox(1), reveal: () => revealBox('1'), claim: () => claimBox('1') }
  await act[action]()
  return sent
}

describe('a box on the page', () => {
  it('is bought for the price and at the contract that are shown', async () => {
    const tx = { to: CONTRACT.toLowerCase(), value: '5', data: BUY }
    expect(await sentFor(tx)).toMatchObject([{ to: tx.to, value: 5n }])
  })

  it.each([
    { to: CONTRACT, value: '6', data: BUY },
    { to: WALLET, value: '5', data: BUY },
    { to: CONTRACT, value: '5', data: CLAIM },
    { to: CONTRACT, value: '5', data: callData('buy(uint256)', 2) },
  ])('is not bought with another transaction: %o', async (tx) => {
    expect(await sentFor(tx)).toEqual([])
  })

  it('is not sold to an account with code, as its contract refuses that', async () => {
    const tx = { to: CONTRACT, value: '5', data: BUY }
    expect(await sentFor(tx, 'buy', `0xef0100${'22'.repeat(20)}`)).toEqual([])
  })

  it('is revealed by either call that opens it, and by no other', async () => {
    const reveal = (data: string) => sentFor({ to: CONTRACT, value: '0', data }, 'reveal')
    expect(await reveal(callData('open(uint256,uint256,uint256,bytes32,bytes)', 1n))).toHaveLength(
      1,
    )
    expect(await reveal(callData('openPublished(uint256)', 1n))).toHaveLength(1)
    expect(await reveal(BUY)).toEqual([])
  })

  it('is claimed for nothing, and by no other call', async () => {
    const tx = { to: AWARD, value: '0', data: CLAIM }
    expect(await sentFor(tx, 'claim')).toHaveLength(1)
    expect(await sentFor({ ...tx, value: '1' }, 'claim')).toEqual([])
    const approve = callData('approve(address,uint256)', WALLET, 1n)
    expect(await sentFor({ ...tx, data: approve }, 'claim')).toEqual([])
  })

  it('is bought once if Buy is pressed again while the node is slow to answer', async () => {
    const sent: object[] = []
    let answer = () => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    vi.doMock('../../../../src/play/wallet/send.ts', () => ({
      async send(transaction: object) {
        sent.push(transaction)
        return `0x${'11'.repeat(32)}`
      },
    }))
    const results: Record<string, unknown> = {
      eth_getTransactionReceipt: receiptOf(0n),
      eth_blockNumber: '0x2',
      eth_getCode: '0x',
    }
    let reads = 0
    vi.stubGlobal(
      'fetch',
      async (path: string, { method, body = '' }: { method?: string; body?: string }) => {
        if (path === '/api/rpc') {
          const asked: { method: string; params: { data?: string }[] } = JSON.parse(body)
          if (asked.method === 'eth_call' && reads++ === 0) await answered
          return Response.json({ result: results[asked.method] ?? `0x${'01'.repeat(64)}` })
        }
        if (method === 'POST')
          return Response.json({ ok: true, tx: { to: CONTRACT, value: '5', data: BUY } })
        const bought = sent.map((_, at) => ({ boxId: `${at}`, kind: 1, state: 'closed' }))
        return Response.json({ ok: true, ...SHOP, boxes: bought })
      },
    )
    const { session } = await import('../../../../src/play/session.ts')
    const { shopping } = await import('../../../../src/play/boxes/shop.ts')
    const { buyBox } = await import('../../../../src/play/boxes/actions.ts')
    session.patch({ credentials: { wallet: WALLET, authSig: '0x' } })
    shopping.set({
      owner: WALLET,
      isReading: false,
      shop: SHOP as Partial<Shop> as Shop,
      problem: null,
    })
    const first = buyBox(1)
    await buyBox(1)
    answer()
    await first
    expect(sent).toHaveLength(1)
  })

  it('is not mistaken for boxes that turn up beside it, whose evidence would be another', async () => {
    vi.doMock('../../../../src/play/wallet/send.ts', () => ({
      send: async () => `0x${'11'.repeat(32)}`,
    }))
    const results: Record<string, unknown> = {
      eth_getTransactionReceipt: receiptOf(901n),
      eth_blockNumber: '0x2',
      eth_getCode: '0x',
      eth_call: `0x${'01'.repeat(64)}`,
    }
    const other = { boxId: '900', kind: 1, state: 'closed' }
    const own = { boxId: '901', kind: 1, state: 'closed' }
    vi.stubGlobal(
      'fetch',
      async (path: string, { method, body = '' }: { method?: string; body?: string }) => {
        if (path === '/api/rpc') {
          const asked = JSON.parse(body) as { method: string }
          return Response.json({ result: results[asked.method] })
        }
        if (method === 'POST')
          return Response.json({ ok: true, tx: { to: CONTRACT, value: '5', data: BUY } })
        const shown = path.includes(`boxId=${own.boxId}`) ? [own] : [other, own]
        return Response.json({ ok: true, ...SHOP, boxes: shown })
      },
    )
    const { session } = await import('../../../../src/play/session.ts')
    const { shopping } = await import('../../../../src/play/boxes/shop.ts')
    const { kept } = await import('../../../../src/play/keepsakes.ts')
    const { buyBox } = await import('../../../../src/play/boxes/actions.ts')
    session.patch({ credentials: { wallet: WALLET, authSig: '0x' } })
    shopping.set({
      owner: WALLET,
      isReading: false,
      shop: SHOP as Partial<Shop> as Shop,
      problem: null,
    })
    await buyBox(1)
    expect(kept('boxes', other.boxId)).toBeNull()
    expect(kept('boxes', own.boxId)).toEqual({ tiers: [], pepperHash: '01'.repeat(32) })
  })

  it('can be given up while the wallet does not answer, and its late answer starts nothing', async () => {
    let confirm: ((hash: string) => void) | undefined
    vi.doMock('../../../../src/play/wallet/send.ts', () => ({
      send: () => new Promise<string>((resolve) => (confirm = resolve)),
    }))
    const tx = { to: CONTRACT, value: '5', data: BUY }
    vi.stubGlobal('fetch', async (path: string) =>
      Response.json(path === '/api/rpc' ? { result: '0x' } : { ok: true, tx }),
    )
    const { session } = await import('../../../../src/play/session.ts')
    const { shopping } = await import('../../../../src/play/boxes/shop.ts')
    const { buyBox, cancelBox, dealing } = await import('../../../../src/play/boxes/actions.ts')
    session.patch({ credentials: { wallet: WALLET, authSig: '0x' } })
    shopping.patch({ shop: SHOP as Partial<Shop> as Shop })
    const buying = buyBox(1)
    await vi.waitFor(() => expect(confirm).toBeDefined())
    cancelBox()
    const given = { step: 'idle', problem: { code: 'wallet' } }
    expect(dealing.value).toMatchObject(given)
    confirm?.(`0x${'11'.repeat(32)}`)
    await buying
    expect(dealing.value).toMatchObject(given)
  })
})
