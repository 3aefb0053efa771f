import { describe, expect, it } from 'vitest'
import { tierOfBox } from '../../../src/box-nft/tier.ts'
import { readBoxes } from '../../../src/cli/verify/boxes.ts'
import { commitmentOf } from '../../../src/fairness/seed.ts'
import { verifyBox } from '../../../src/verify/box.ts'

const pepper = 'b0'.repeat(32)
const boxId = '7'
const tiers = [
  { tier: 0, label: 'Common', bps: 7_000, prize: '5' },
  { tier: 1, label: 'Rare', bps: 2_900, prize: '20' },
  { tier: 2, label: 'Epic', bps: 100, prize: '500' },
]
const drawnBy = (secret: string) =>
  tierOfBox(
    BigInt(boxId),
    secret,
    tiers.map(({ bps, prize }) => ({ bps, prize: BigInt(prize) })),
  )
const tier = drawnBy(pepper)
const record = {
  boxId,
  kind: 0,
  state: 'revealed',
  tier,
  prize: tiers[tier]!.prize,
  claimed: true,
  batch: 1,
  pepperHash: commitmentOf(pepper),
  pepper,
}
const closed = { state: 'closed', tier: null, prize: null, claimed: false }

const answer = (change: object = {}, kinds: object[] = [{ kind: 0, tiers }]) => ({
  ok: true,
  boxes: [{ ...record, ...change }],
  kinds,
})

const holds = (value: unknown, seen: { pepperHash?: string } = {}) => {
  const { boxes } = readBoxes(value, 'it')
  return (
    boxes.length === 1 && boxes.every((box) => verifyBox(box, seen).every((check) => check.holds))
  )
}

/** Another pepper that gives the box the same tier, so only its hash is wrong. */
const otherPepper = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0').repeat(32),
).find((secret) => secret !== pepper && drawnBy(secret) === tier)

describe('a box whose pepper is published', () => {
  it('passes if it is valid, opened or still closed', () => {
    expect(holds(answer())).toBe(true)
    expect(holds(answer(closed))).toBe(true)
    expect(holds(answer(), { pepperHash: commitmentOf(pepper) })).toBe(true)
  })

  it.each([
    ['another pepper', { pepper: otherPepper }],
    ['an invalid pepper', { pepper: 'x' }],
    ['another hash', { pepperHash: commitmentOf('b1'.repeat(32)) }],
    ['another tier', { tier: (tier + 1) % 3 }],
    ['an unknown tier', { tier: 3 }],
    ['another prize', { prize: '6' }],
    ['an unknown kind', { kind: 1 }],
  ])('with %s fails', (_what, change) => {
    expect(holds(answer(change))).toBe(false)
  })

  it.each([
    ['are not whole', tiers.map((each) => ({ ...each, bps: each.bps - 1 }))],
    ['would draw another tier', [tiers[2]!, tiers[1]!, { ...tiers[0]!, bps: 7_000 }]],
  ])('with odds that %s fails', (_what, odds) => {
    expect(holds(answer({}, [{ kind: 0, tiers: odds }]))).toBe(false)
  })

  it('fails if its batch has another commitment than the one seen', () => {
    expect(holds(answer(), { pepperHash: commitmentOf('b1'.repeat(32)) })).toBe(false)
  })
})

describe('a box with a secret pepper', () => {
  it('waits, and says what it waits for', () => {
    const { boxes, waiting } = readBoxes(answer({ pepper: null }), 'it')
    expect(boxes).toEqual([])
    expect(waiting).toEqual(['box 7: the pepper of batch 1 is not published yet'])
  })
})

describe('an invalid box answer', () => {
  it.each([[null], [{}], [{ boxes: [{}], kinds: [] }], [answer({ boxId: '1e3' })]])(
    '%j is refused',
    (value) => {
      expect(() => readBoxes(value, 'it')).toThrow('it is not an answer of /api/lootbox-nft')
    },
  )
})
