import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Shop } from '../../../../src/play/boxes/shop.ts'
import { inBrowser } from '../in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const CONTRACT = `0x${'Ab'.repeat(20)}`
const AWARD = `0x${'5b'.repeat(20)}`
const SHOP = {
  contract: CONTRACT,
  kinds: [{ kind: 1, price: '5', isForSale: true, tiers: [] }],
  boxes: [],
}

beforeEach(() => void inBrowser())
afterEach(() => void vi.unstubAllGlobals())

/** Buys a box for 5 wei, or claims one. Returns the transactions that the wallet was asked to send. */
async function sentFor(tx: { to: string; value: string }, action = 'buy'): Promise<object[]> {
  const sent: object[] = []
  vi.doMock('../../../../src/play/wallet/send.ts', () => ({
    async send(transaction: object) {
      sent.push(transaction)
      const { WalletError } = await import('../../../../src/play/wallet/wallet.ts')
      throw new WalletError('The test sends nothing.')
    },
  }))
  vi.stubGlobal('fetch', async (path: string) =>
    Response.json(
      path === '/api/rpc'
        ? { result: `0x${AWARD.slice(2).padStart(64, '0')}` }
        : { ok: true, tx: { data: '0x', ...tx } },
    ),
  )
  const { session } = await import('../../../../src/play/session.ts')
  const { shopping } = await import('../../../../src/play/boxes/shop.ts')
  const { buyBox, claimBox } = await import('../../../../src/play/boxes/actions.ts')
  session.patch({ credentials: { wallet: WALLET, authSig: '0x' } })
  shopping.patch({ shop: SHOP as Partial<Shop> as Shop })
  await (action === 'buy' ? buyBox(1) : claimBox('1'))
  return sent
}

describe('a box on the page', () => {
  it('is bought for the price and at the contract that are shown', async () => {
    const tx = { to: CONTRACT.toLowerCase(), value: '5' }
    expect(await sentFor(tx)).toMatchObject([{ to: tx.to, value: 5n }])
  })

  it.each([
    { to: CONTRACT, value: '6' },
    { to: WALLET, value: '5' },
  ])('is not bought with another transaction: %o', async (tx) => {
    expect(await sentFor(tx)).toEqual([])
  })

  it('is claimed for nothing, and only from the contract’s own award contract', async () => {
    expect(await sentFor({ to: AWARD, value: '0' }, 'claim')).toHaveLength(1)
    expect(await sentFor({ to: AWARD, value: '1' }, 'claim')).toEqual([])
    expect(await sentFor({ to: WALLET, value: '0' }, 'claim')).toEqual([])
  })
})
