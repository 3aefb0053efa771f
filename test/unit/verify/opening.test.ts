import { describe, expect, it } from 'vitest'
import { readOpenings } from '../../../src/cli/verify/openings.ts'
import { dateOf } from '../../../src/core/utc-day.ts'
import { beaconPublishedAt } from '../../../src/fairness/drand.ts'
import { commitmentOf } from '../../../src/fairness/seed.ts'
import { paymentMessage, rollOf, tierOfRoll } from '../../../src/lootbox/prizes.ts'
import { spinMessage } from '../../../src/lootbox/spin.ts'
import { verifyOpening, type SeenOpening } from '../../../src/verify/opening.ts'
import { BEACON_1000 } from '../support/vectors.ts'

const seed = '5e'.repeat(32)
const txHash = `0x${'ab'.repeat(32)}`
const blockHash = `0x${'cd'.repeat(32)}`
const odds = [6_000, 3_000, 1_000]
const roll = rollOf(seed, paymentMessage(txHash, blockHash))
const TIERS = odds.map((bps) => ({ bps }))
const tier = tierOfRoll(roll, TIERS)
const open = {
  id: txHash,
  txHash,
  blockHash,
  seed,
  seedHash: commitmentOf(seed),
  day: '2040-01-01',
  roll: Number(roll),
  tier,
  label: 'Rare',
  odds,
}

const brokenOf = (opened: object, seen: SeenOpening) =>
  readOpenings({ ok: true, open: opened }, 'it')
    .flatMap((opening) => verifyOpening(opening, seen))
    .filter((check) => !check.holds)
    .map(({ claim }) => claim)
const paidBroken = (change: object = {}, seen: SeenOpening = {}) =>
  brokenOf({ ...open, ...change }, seen)
const holds = (change: object = {}, seen: SeenOpening = {}) => paidBroken(change, seen).length === 0

describe('an opening', () => {
  it('that is valid passes', () => {
    expect(holds()).toBe(true)
    expect(holds({}, { seedHash: commitmentOf(seed) })).toBe(true)
  })

  it.each([
    ['another seed', { seed: '5f'.repeat(32) }],
    ['an invalid seed', { seed: 'x' }],
    ['another payment', { txHash: `0x${'ac'.repeat(32)}` }],
    ['another block', { blockHash: `0x${'ce'.repeat(32)}` }],
    ['another roll', { roll: Number(roll) + 4 }],
    ['another tier', { tier: (tier + 1) % 3 }],
    ['odds that would win another tier', { odds: tier === 0 ? [1, 9_999, 0] : [9_999, 1, 0] }],
    ['odds that are not whole', { odds: [6_000, 3_000, 999] }],
  ])('with %s fails', (_what, change) => {
    expect(holds(change)).toBe(false)
  })

  it.each(['txHash', 'blockHash'] as const)(
    'fails with a %s in another letter case, with which a house could choose the roll',
    (name) => {
      const upper = `0x${open[name].slice(2).toUpperCase()}`
      const from = { txHash, blockHash, [name]: upper }
      const other = rollOf(seed, paymentMessage(from.txHash, from.blockHash))
      const won = { roll: Number(other), tier: tierOfRoll(other, TIERS) }
      const ground = { ...from, id: from.txHash, ...won }
      expect(paidBroken(ground)).toEqual([
        'its id is the payment, and payment and block are in lower case',
      ])
    },
  )

  it('fails with an id other than its payment', () => {
    expect(holds({ id: `0x${'ac'.repeat(32)}` })).toBe(false)
  })

  it('fails with a seed hash other than the one shown before', () => {
    expect(holds({}, { seedHash: commitmentOf('5f'.repeat(32)) })).toBe(false)
  })

  it('fails with the seed of a day other than that of the block of its payment', () => {
    expect(holds({}, { paidAt: Date.UTC(2040, 0, 1, 23, 59) })).toBe(true)
    expect(holds({}, { paidAt: Date.UTC(2040, 0, 2) })).toBe(false)
  })

  it('reports that it cannot be checked before its day has ended', () => {
    expect(() => holds({ seed: null })).toThrow('has not ended')
  })
})

describe('a free spin', () => {
  const pepper = '9e'.repeat(32)
  const id = 'spin:0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266:2040-01-01'
  const spun = rollOf(seed, spinMessage(id, pepper))
  const spin = {
    ...open,
    id,
    txHash: null,
    blockHash: null,
    roll: Number(spun),
    acceptedAt: Date.UTC(2040, 0, 1, 12),
    pepper,
    pepperSource: { kind: 'committed', pepperHash: commitmentOf(pepper) },
    tier: tierOfRoll(spun, TIERS),
  }
  const brokenSpin = (change: object = {}, seen: SeenOpening = {}) =>
    brokenOf({ ...spin, ...change }, seen)
  const spinHolds = (change: object = {}) => brokenSpin(change).length === 0

  it('that is valid passes', () => {
    expect(spinHolds()).toBe(true)
  })

  it('of a wallet in another letter case fails, with which a house could choose the roll', () => {
    const spelled = id.replace('f39fd', 'F39Fd')
    const other = rollOf(seed, spinMessage(spelled, pepper))
    const ground = { id: spelled, roll: Number(other), tier: tierOfRoll(other, TIERS) }
    expect(brokenSpin(ground)).toEqual(['its id names wallet and day in lower case'])
  })

  it('rolled with the seed of a day other than its own fails', () => {
    expect(brokenSpin({ day: '2039-12-31' })).toEqual(["its seed is of the spin's day, 2040-01-01"])
  })

  it.each([
    ['another wallet', { id: id.replace('2266', '2267') }],
    ['another day', { id: id.replace('01-01', '01-02') }],
    ['another pepper', { pepper: '9f'.repeat(32) }],
    ['a beacon without its signature', { pepperSource: { kind: 'drand-quicknet', round: 1000 } }],
    ['another roll', { roll: Number(spun) + 4 }],
    ['a time on another day', { acceptedAt: Date.UTC(2040, 0, 2) }],
    ['an invalid time', { acceptedAt: 1e300 }],
  ])('with %s fails', (_what, change) => {
    expect(spinHolds(change)).toBe(false)
  })

  it('with a committed pepper passes for a player who watched only with the hash that was shown before', () => {
    const seenAt = spin.acceptedAt - 1_000
    const { pepperHash } = spin.pepperSource
    expect(brokenSpin({}, { seenAt, pepperHash })).toEqual([])
    expect(brokenSpin({}, { seenAt })).toEqual([
      'you saw the hash of its pepper before the spin was taken',
    ])
    expect(brokenSpin({}, { seenAt, pepperHash: commitmentOf('9f'.repeat(32)) })).toEqual([
      "the pepper's hash is the one shown before",
    ])
  })

  it('with a committed pepper fails on a site, which needs a beacon', () => {
    expect(brokenSpin({}, { needsBeacon: true })).toEqual([
      'its pepper comes from a public beacon, not from a secret of the house',
    ])
  })

  describe('with a beacon', () => {
    const { round, signature, randomness } = BEACON_1000
    const publishedAt = beaconPublishedAt(round)
    const acceptedAt = publishedAt - 1_000
    const day = `spin:0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266:${dateOf(acceptedAt)}`
    const rolled = rollOf(seed, spinMessage(day, randomness))
    const beacon = {
      id: day,
      day: dateOf(acceptedAt),
      acceptedAt,
      pepper: randomness,
      signature,
      pepperSource: { kind: 'drand-quicknet', round },
      roll: Number(rolled),
      tier: tierOfRoll(rolled, TIERS),
    }

    it('published after the spin was made passes', () => {
      expect(brokenSpin(beacon, { seenAt: acceptedAt - 300, needsBeacon: true })).toEqual([])
    })

    it.each([
      ['already known when the spin was accepted', publishedAt],
      ['other than the first one after the spin', publishedAt - 3_001],
    ])('%s fails', (_which, takenAt) => {
      expect(brokenSpin({ ...beacon, acceptedAt: takenAt })).toEqual([
        expect.stringContaining('is the first one published after the spin was taken'),
      ])
    })

    it('already published, by the player’s clock, when the spin was requested fails', () => {
      expect(brokenSpin(beacon, { seenAt: publishedAt })).toEqual([
        expect.stringContaining('by your own clock'),
      ])
    })

    it('that is the next one ten seconds after the call that was answered passes, but no later one', () => {
      const held = (byMs: number) => ({ seenAt: acceptedAt - byMs })
      const late = [expect.stringContaining('within ten seconds of your call')]
      expect(brokenSpin(beacon, held(10_000))).toEqual([])
      expect(brokenSpin(beacon, held(10_001))).toEqual(late)
      const askedAgain = { ...held(60_000), askedAt: acceptedAt - 10_000 }
      expect(brokenSpin(beacon, askedAgain)).toEqual([])
      expect(brokenSpin(beacon, { ...askedAgain, askedAt: acceptedAt - 10_001 })).toEqual(late)
    })

    it('other than the one that the first answer named fails', () => {
      const first = { acceptedAt, pepperSource: { kind: 'drand-quicknet', round } } as const
      expect(brokenSpin(beacon, first)).toEqual([])
      const named = { ...first.pepperSource, round: round - 1 }
      expect(brokenSpin(beacon, { ...first, pepperSource: named })).toEqual([
        'its pepper comes from the source that the first answer named',
      ])
      expect(brokenSpin(beacon, { ...first, acceptedAt: acceptedAt - 1 })).toEqual([
        'it was taken when the first answer said',
      ])
    })
  })

  it('without pepper or payment is not an opening', () => {
    expect(() => spinHolds({ pepper: undefined })).toThrow('is not the answer of an opened lootbox')
  })
})
