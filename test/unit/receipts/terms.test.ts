import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../../src/core/canonical-json.ts'
import { keyEntry, termsEntry } from '../../../src/receipts/log-entries.ts'
import { termsOfPlay } from '../../../src/receipts/terms.ts'
import { entryText } from '../../../src/transparency/entry.ts'
import { termsSummary } from '../../../src/transparency/terms.ts'
import { LIMITS, rules } from '../support/builders.ts'

const LIMITS_OF_PLAYS = { ETH: LIMITS, USDG: LIMITS }
const PRIZES = [{ bps: 10_000, label: 'Common', asset: 'REWARD', amountWei: '5' }]
const OFFER = { price: '100', prizes: PRIZES, spinPrizes: PRIZES, spinDailyLimit: 10 }
const stocksOf = (token: string) => new Map([['ACME', { token }]])
const LOOTBOX = { ...OFFER, pool: '0xc0', rewardToken: '0xd0', stocks: stocksOf('0xe0') }
const BOXES = { chainId: 1, contract: '0xb0', award: '0xa0', labels: [['Common', 'Rare']] }
const RULES = {
  crash: rules(),
  entropy: { edgeBps: 100, limits: LIMITS_OF_PLAYS },
  bankroll: { payoutBps: 100, roundBps: 250 },
  depositFeeBps: 0,
  lootbox: LOOTBOX,
  chain: { chainId: 1 },
  boxes: BOXES,
  autoplay: true,
  funChips: true,
  minPlayMs: 0,
}

const hashOf = (change: Partial<typeof RULES> = {}) =>
  termsSummary(termsOfPlay({ ...RULES, ...change })).hash

describe('the terms of play', () => {
  it('are named by the sha256 of their entry in the public log', () => {
    const terms = termsOfPlay(RULES)
    const { terms: logged } = termsEntry(terms, hashOf(), 0)
    expect(createHash('sha256').update(canonicalJson(logged)).digest('hex')).toBe(hashOf())
    expect(entryText(termsEntry(terms, hashOf(), 0)).length).toBeLessThan(65_535)
  })

  it('have another name once an edge, a limit, a share, an offer or the speed of play changes', () => {
    const changed = [
      { crash: rules({ edgeBps: 101 }) },
      { entropy: { ...RULES.entropy, edgeBps: 101 } },
      { crash: rules({ limits: { ...LIMITS_OF_PLAYS, ETH: { ...LIMITS, max: '999' } } }) },
      { bankroll: { payoutBps: 101, roundBps: 250 } },
      { depositFeeBps: 1 },
      { lootbox: { ...LOOTBOX, price: '101' } },
      { lootbox: { ...LOOTBOX, prizes: [{ ...PRIZES[0]!, amountWei: '4' }] } },
      { lootbox: { ...LOOTBOX, spinPrizes: [{ ...PRIZES[0]!, amountWei: '4' }] } },
      { lootbox: { ...LOOTBOX, spinDailyLimit: 11 } },
      { lootbox: { ...LOOTBOX, pool: '0xc1' } },
      { lootbox: { ...LOOTBOX, rewardToken: '0xd1' } },
      { lootbox: { ...LOOTBOX, stocks: stocksOf('0xe1') } },
      { chain: { chainId: 2 } },
      { boxes: { ...BOXES, contract: '0xb1' } },
      { boxes: { ...BOXES, award: '0xa1' } },
      { boxes: { ...BOXES, labels: [['Common', 'Epic']] } },
      { autoplay: false },
      { funChips: false },
      { minPlayMs: 2_500 },
    ]
    const hashes = [hashOf(), ...changed.map(hashOf)]
    expect(new Set(hashes).size).toBe(hashes.length)
  })

  it('contain every pay table', () => {
    const { tables } = termsOfPlay(RULES).entropy
    expect(tables).toMatchObject({ kenoTables: { classic: { 1: [0, 3.96] } } })
    expect(termsOfPlay(RULES)).toMatchObject({ lootbox: OFFER, boxes: BOXES })
  })

  it('name the contracts that take payments for the lootbox and that its prizes are paid in', () => {
    const { lootbox } = termsOfPlay(RULES)
    const tokens = { REWARD: '0xd0', ACME: '0xe0' }
    expect(lootbox).toMatchObject({ chainId: 1, pool: '0xc0', tokens })
  })
})

describe('a key of receipts', () => {
  it('has one entry, whether it still signs or not', () => {
    const key = {
      kty: 'EC',
      crv: 'P-256',
      x: 'x',
      y: 'y',
      alg: 'ES256',
      use: 'sig',
      kid: 'k',
      nbf: 1,
    } as const
    expect(keyEntry({ ...key, exp: 2 }, 0)).toEqual(keyEntry(key, 0))
  })
})
