import { describe, expect, it } from 'vitest'
import { checkPlayedBox, type PlayedBox } from '../../../../src/cli/play/box-checks.ts'

const pepperHash = 'ab'.repeat(32)
const played: PlayedBox = {
  kind: {
    kind: 0,
    price: '100',
    isForSale: true,
    tiers: [
      { tier: 0, label: 'Common', bps: 9_000, prize: '5' },
      { tier: 1, label: 'Rare', bps: 1_000, prize: '20' },
    ],
  },
  batch: { number: 3, pepperHash },
  order: { price: '100', tx: { value: '100' } },
  opening: { tier: 1, prize: '20' },
  shown: {
    boxId: '7',
    state: 'revealed',
    tier: 1,
    prize: '20',
    claimed: true,
    batch: 3,
    pepperHash,
    pepper: null,
  },
  onChain: { batch: 3, isOpened: true, tier: 1, prize: 20n, isClaimed: true },
  prompts: 3,
  held: { before: 1n, after: 21n },
}

/** Returns the number of checks that fail for an otherwise valid box. */
const failures = (change: Partial<PlayedBox>) =>
  checkPlayedBox({ ...played, ...change }).filter(({ holds }) => !holds).length

const { onChain, shown, order } = played

describe('a box in the terminal', () => {
  it('passes if it was sold, opened and paid as shown', () => {
    expect(failures({})).toBe(0)
  })

  it.each<[string, Partial<PlayedBox>]>([
    ['another price answered', { order: { ...order, price: '101' } }],
    ['another price asked', { order: { ...order, tx: { value: '101' } } }],
    ['another batch on chain', { onChain: { ...onChain, batch: 4 } }],
    ['another batch shown', { shown: { ...shown, batch: 4 } }],
    ['another commitment shown', { shown: { ...shown, pepperHash: 'cd'.repeat(32) } }],
    ['another tier on chain', { onChain: { ...onChain, tier: 0 } }],
    ['another prize on chain', { onChain: { ...onChain, prize: 5n } }],
    ['no opening on chain', { onChain: { ...onChain, isOpened: false } }],
    ['another tier shown', { shown: { ...shown, tier: 0 } }],
    ['another prize shown', { shown: { ...shown, prize: '5' } }],
    ['a prize that is not shown as claimed', { shown: { ...shown, claimed: false } }],
    ['a prize that is not claimed on chain', { onChain: { ...onChain, isClaimed: false } }],
    ['a fourth prompt', { prompts: 4 }],
    ['a prize that arrived only in part', { held: { before: 1n, after: 20n } }],
  ])('with %s fails', (_what, change) => {
    expect(failures(change)).toBe(1)
  })

  it('fails if its prize differs from the one shown for its tier', () => {
    const opening = { tier: 1, prize: '5' }
    const paid = { before: 1n, after: 6n }
    const change = { opening, held: paid, shown: { ...shown, prize: '5' } }
    expect(failures({ ...change, onChain: { ...onChain, prize: 5n } })).toBe(1)
  })
})
