import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { keepReceipt, keptReceipts } from '../../../src/play/receipts.ts'

const ALICE = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const BOB = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

/** A receipt with these claims. The signature of a repetition is another one. */
const receipt = (claims: string, signature = 'c2ln') => `eyJh.${claims}.${signature}`

beforeEach(() => {
  const stored = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  })
})
afterEach(() => vi.unstubAllGlobals())

describe('the receipts that the page keeps', () => {
  it('are those of a wallet, by what they are about', () => {
    keepReceipt(ALICE, 'bet/7', receipt('bet'))
    keepReceipt(ALICE, 'cashout/7', receipt('cashout'))
    keepReceipt(BOB, 'bet/7', receipt('other'))
    expect(keptReceipts(ALICE)).toEqual([receipt('bet'), receipt('cashout')])
    expect(keptReceipts(ALICE.toLowerCase(), ['bet/7'])).toEqual([receipt('bet')])
    expect(keptReceipts(BOB, ['cashout/7'])).toEqual([])
  })

  it('are kept once, unless they say something else', () => {
    keepReceipt(ALICE, 'play/0', receipt('win', 'Zmlyc3Q'))
    keepReceipt(ALICE, 'play/0', receipt('win', 'c2Vjb25k'))
    keepReceipt(ALICE, 'play/0', undefined)
    expect(keptReceipts(ALICE)).toEqual([receipt('win', 'Zmlyc3Q')])
    keepReceipt(ALICE, 'play/0', receipt('loss'))
    expect(keptReceipts(ALICE, ['play/0'])).toHaveLength(2)
  })

  it('are the newest 500', () => {
    for (let nonce = 0; nonce < 502; nonce++) {
      keepReceipt(ALICE, `play/${nonce}`, receipt(`play${nonce}`))
    }
    const kept = keptReceipts(ALICE)
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([500, receipt('play2'), receipt('play501')])
  })

  it('are none in a browser that blocks storage', () => {
    vi.stubGlobal('localStorage', undefined)
    keepReceipt(ALICE, 'bet/7', receipt('bet'))
    expect(keptReceipts(ALICE)).toEqual([])
  })
})
