import { describe, expect, it } from 'vitest'
import { readOpenings } from '../../../src/cli/openings.ts'
import { commitmentOf } from '../../../src/fairness/seed.ts'
import { paymentMessage, rollOf, tierOfRoll } from '../../../src/lootbox/prizes.ts'
import { spinMessage } from '../../../src/lootbox/spin.ts'
import { verifyOpening } from '../../../src/lootbox/verify.ts'

const seed = '5e'.repeat(32)
const txHash = `0x${'ab'.repeat(32)}`
const blockHash = `0x${'cd'.repeat(32)}`
const odds = [6_000, 3_000, 1_000]
const roll = rollOf(seed, paymentMessage(txHash, blockHash))
const tier = tierOfRoll(
  roll,
  odds.map((bps) => ({ bps })),
)
const open = {
  ...{ id: txHash, txHash, blockHash, seed, seedHash: commitmentOf(seed) },
  ...{ roll: Number(roll), tier, label: 'Rare', odds },
}

const holds = (change: object = {}, seen: { seedHash?: string } = {}) =>
  readOpenings({ ok: true, open: { ...open, ...change } }, 'it')
    .flatMap((opening) => verifyOpening(opening, seen))
    .every((check) => check.holds)

describe('an opening', () => {
  it('that is as it should be holds', () => {
    expect(holds()).toBe(true)
    expect(holds({}, { seedHash: commitmentOf(seed) })).toBe(true)
  })

  it.each([
    ['another seed', { seed: '5f'.repeat(32) }],
    ['a seed that is none', { seed: 'x' }],
    ['another payment', { txHash: `0x${'ac'.repeat(32)}` }],
    ['another block', { blockHash: `0x${'ce'.repeat(32)}` }],
    ['another roll', { roll: Number(roll) + 4 }],
    ['another tier', { tier: (tier + 1) % 3 }],
    ['odds that would win another tier', { odds: tier === 0 ? [1, 9_999, 0] : [9_999, 1, 0] }],
    ['odds that are not whole', { odds: [6_000, 3_000, 999] }],
  ])('with %s does not', (_what, change) => {
    expect(holds(change)).toBe(false)
  })

  it('under another seed hash than the one shown before does not', () => {
    expect(holds({}, { seedHash: commitmentOf('5f'.repeat(32)) })).toBe(false)
  })

  it('of a day that is not over cannot be checked yet, and says so', () => {
    expect(() => holds({ seed: null })).toThrow('not over')
  })
})

describe('a free spin', () => {
  const pepper = '9e'.repeat(32)
  const id = 'spin:0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266:2040-01-01'
  const spun = rollOf(seed, spinMessage(id, pepper))
  const spin = {
    ...open,
    ...{ id, txHash: null, blockHash: null, roll: Number(spun) },
    ...{ pepper, pepperSource: { kind: 'committed', pepperHash: commitmentOf(pepper) } },
    tier: tierOfRoll(
      spun,
      odds.map((bps) => ({ bps })),
    ),
  }
  const spinHolds = (change: object = {}) =>
    readOpenings({ ok: true, open: { ...spin, ...change } }, 'it')
      .flatMap((opening) => verifyOpening(opening))
      .every((check) => check.holds)

  it('that is as it should be holds', () => {
    expect(spinHolds()).toBe(true)
  })

  it.each([
    ['another wallet', { id: id.replace('2266', '2267') }],
    ['another day', { id: id.replace('01-01', '01-02') }],
    ['another pepper', { pepper: '9f'.repeat(32) }],
    ['a beacon that has not signed it', { pepperSource: { kind: 'drand-quicknet', round: 1000 } }],
    ['another roll', { roll: Number(spun) + 4 }],
  ])('with %s does not', (_what, change) => {
    expect(spinHolds(change)).toBe(false)
  })

  it('without pepper or payment is no opening', () => {
    expect(() => spinHolds({ pepper: undefined })).toThrow('no opening')
  })
})
