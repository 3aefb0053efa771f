import { describe, expect, it } from 'vitest'
import {
  checkOpened,
  type LootboxTerms,
  type OpenedLootbox,
} from '../../../../src/cli/play/lootbox-checks.ts'
import { commitmentOf } from '../../../../src/fairness/seed.ts'
import {
  expectedValue,
  paymentMessage,
  rollOf,
  tierOfRoll,
} from '../../../../src/lootbox/prizes.ts'

const seed = '5e'.repeat(32)
const tomorrowsHash = commitmentOf('5f'.repeat(32))
const payment = {
  txHash: `0x${'ab'.repeat(32)}`,
  blockHash: `0x${'cd'.repeat(32)}`,
  paidAt: Date.parse('2026-11-21T23:59:59Z'),
}
const roll = rollOf(seed, paymentMessage(payment.txHash, payment.blockHash))
const prizes = [
  { bps: 6_000, chance: 0.6, label: 'Common', asset: 'REWARD', prize: '5' },
  { bps: 4_000, chance: 0.4, label: 'Rare', asset: 'ETH', prize: '7' },
]
const tier = tierOfRoll(roll, prizes)
const { label, asset, prize } = prizes[tier]!
const terms: LootboxTerms = {
  price: '1',
  pool: '0x',
  prizes,
  day: '2026-11-21',
  seedHash: commitmentOf(seed),
  nextSeedHash: tomorrowsHash,
  expectedValue: expectedValue(prizes.map((each) => ({ ...each, amountWei: each.prize }))),
}
const open: OpenedLootbox['open'] = {
  id: payment.txHash,
  txHash: payment.txHash,
  blockHash: payment.blockHash,
  tier,
  label,
  asset,
  prize,
  odds: [6_000, 4_000],
  roll: Number(roll),
  status: 'paid',
  prizeTxHash: '0x',
  day: '2026-11-21',
  seedHash: commitmentOf(seed),
  seed: null,
}
const opened: OpenedLootbox = {
  terms,
  payment,
  open,
  held: { before: 100n, after: 100n + BigInt(prize) },
}

/** Returns the number of checks that fail for an otherwise valid opening. */
const failures = (change: Partial<OpenedLootbox>) =>
  checkOpened({ ...opened, ...change }).filter(({ holds }) => !holds).length

const otherTier = 1 - tier

describe('an opening in the terminal', () => {
  it('that was settled as shown and paid passes', () => {
    expect(failures({})).toBe(0)
  })

  it('paid for after midnight is checked against the terms shown for tomorrow', () => {
    const later = { ...payment, paidAt: Date.parse('2026-11-22T00:00:00Z') }
    expect(failures({ payment: later })).toBe(1)
    expect(failures({ payment: later, open: { ...open, seedHash: tomorrowsHash } })).toBe(0)
    const after = { ...payment, paidAt: Date.parse('2026-11-23T00:00:00Z') }
    expect(failures({ payment: after, open: { ...open, seedHash: tomorrowsHash } })).toBe(1)
  })

  it.each<[string, Partial<OpenedLootbox['open']>, number]>([
    ['another payment', { txHash: `0x${'ac'.repeat(32)}` }, 1],
    ['another block', { blockHash: `0x${'ce'.repeat(32)}` }, 1],
    ['another commitment', { seedHash: tomorrowsHash }, 1],
    ['other odds', { odds: [4_000, 6_000] }, 1],
    ['another tier, with its prize', { ...prizes[otherTier], tier: otherTier }, 2],
    ['a smaller prize', { prize: '1' }, 2],
    ['another asset', { asset: 'STK' }, 1],
    ['a fractional roll', { roll: 0.5 }, 1],
    ['an unknown tier', { tier: 2 }, 2],
  ])('with %s fails', (_what, change, count) => {
    expect(failures({ open: { ...open, ...change } })).toBe(count)
  })

  it('fails if its prize did not arrive in full', () => {
    expect(failures({ held: null })).toBe(1)
    expect(failures({ held: { before: 100n, after: 100n } })).toBe(1)
  })

  it('fails if its odds were worth less than shown', () => {
    expect(failures({ terms: { ...terms, expectedValue: { REWARD: '9' } } })).toBe(1)
  })
})
