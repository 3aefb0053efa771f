import { describe, expect, it } from 'vitest'
import { readPlays } from '../../../src/cli/verify/plays.ts'
import { commitmentOf } from '../../../src/fairness/seed.ts'
import { type Selection } from '../../../src/games/games.ts'
import { settle } from '../../../src/games/play.ts'
import { isPlayedElsewhere, verifyPlay, type SeenPlay } from '../../../src/verify/play.ts'
import { amounts, draws, payTerms, selections } from '../games/arbitraries.ts'
import { forAll } from '../support/for-all.ts'

const SEED = '9f7e2493d3e64681667295f3a2ffd7da0fcf1d24181bbb1ca71df589304e878d'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

const SELECTIONS: Selection[] = [
  { game: 'mines', params: { mines: 3, picked: [0, 1] } },
  { game: 'limbo', params: { target: 150 } },
  { game: 'plinko', params: { risk: 'low', rows: 12 } },
  { game: 'keno', params: { picks: [19, 29, 5], risk: 'classic' } },
]

/** A play in its wire format. */
function played(selection: Selection, tables = 1) {
  const draw = { seed: SEED, seedHash: commitmentOf(SEED), clientSeed: 'v750-_nL', nonce: 1 }
  const terms = { edgeBps: 100, tables }
  return settle(selection, { token: 'USDG', amountWei: 1_000_001n }, draw, terms)
}

const verdict = (play: object, seen?: SeenPlay) =>
  readPlays(play, 'it').flatMap((read) => verifyPlay(read, seen))
const holds = (play: object, seen?: SeenPlay) => verdict(play, seen).every((check) => check.holds)

describe('a settled play', () => {
  it.each(SELECTIONS)('of $game verifies, also against what was seen before it', (selection) => {
    const play = played(selection)
    expect(holds(play)).toBe(true)
    expect(holds(play, { seedHash: play.seedHash, clientSeed: play.clientSeed })).toBe(true)
    expect(holds({ ok: true, recent: [{ ...play, wallet: WALLET }] })).toBe(true)
  })

  it('verifies for any selection, draw and stake', () => {
    forAll(selections, draws, payTerms, amounts, (selection, draw, terms, amountWei) => {
      const asked = { ...draw, clientSeed: 'mine' }
      const play = settle(selection, { token: 'ETH', amountWei }, asked, terms)
      expect(holds(play)).toBe(true)
    })
  })

  it.each(SELECTIONS)(
    'of $game is checked against what was seen and sent before it',
    (selection) => {
      expect(holds(played(selection), { seedHash: commitmentOf('00'.repeat(32)) })).toBe(false)
      expect(holds(played(selection), { clientSeed: 'another' })).toBe(false)
    },
  )

  it('is not checked against requests for its number that were refused, unless it is one of them', () => {
    const play = played({ game: 'limbo', params: { target: 150 } })
    const request = {
      game: 'limbo' as const,
      params: { target: 1.5 },
      token: 'USDG' as const,
      amountWei: '1000001',
      clientSeed: 'another',
      edgeBps: 100,
      tables: 1,
    }
    const refused = { ...request, isRefused: true }
    const other = { ...refused, clientSeed: play.clientSeed, amountWei: '5' }
    expect(holds(play, { asked: [refused] })).toBe(true)
    expect(holds(play, { asked: [refused, request] })).toBe(false)
    expect(holds(play, { asked: [refused, other] })).toBe(false)
    expect(holds(play, { asked: [refused], seedHash: 'ab'.repeat(32) })).toBe(false)
    const elsewhere = (asked: SeenPlay['asked']) => isPlayedElsewhere(play, asked ? { asked } : {})
    expect([undefined, [refused], [request], [other]].map(elsewhere)).toEqual([
      false,
      true,
      false,
      false,
    ])
  })

  it('of mines that ended without a pick verifies: it returned its stake, and nothing else', () => {
    const left = played({ game: 'mines', params: { mines: 3, picked: [] } })
    expect(left).toMatchObject({ multiplier: 1, payout: '1000001' })
    expect(holds({ ok: true, recent: [{ ...left, wallet: WALLET }] })).toBe(true)
    expect(holds({ ...left, payout: '1000000' })).toBe(false)
    expect(verdict(left).map(({ claim }) => claim)[1]).toContain('with none picked')
  })

  it('that wins at mines is checked against its mines, its picks and the edge', () => {
    const won = played({ game: 'mines', params: { mines: 3, picked: [0, 1] } })
    expect(won.win).toBe(true)
    expect(holds({ ...won, edgeBps: won.edgeBps + 1 })).toBe(false)
    expect(holds({ ...won, meta: { ...won.meta, picked: [0, 1, 2] } })).toBe(false)
  })

  it('of plinko and keno is checked against its risk, and plinko also against its rows', () => {
    const plinko = played({ game: 'plinko', params: { risk: 'low', rows: 12 } })
    expect(holds({ ...plinko, meta: { ...plinko.meta, risk: 'high' } })).toBe(false)
    expect(holds({ ...plinko, meta: { ...plinko.meta, rows: 11 } })).toBe(false)
    const keno = played({ game: 'keno', params: { picks: [19, 29, 5], risk: 'classic' } })
    expect(holds({ ...keno, meta: { ...keno.meta, risk: 'high' } })).toBe(false)
  })

  it.each<[string, (play: ReturnType<typeof played>) => object]>([
    ['seed', () => ({ seed: 'ab'.repeat(32) })],
    [
      'seed and its hash',
      () => ({ seed: '01'.repeat(32), seedHash: commitmentOf('01'.repeat(32)) }),
    ],
    ['seed hash', () => ({ seedHash: 'ab'.repeat(32) })],
    ['client seed', () => ({ clientSeed: 'another' })],
    ['nonce', () => ({ nonce: 2 })],
    ['amount', () => ({ amount: '2000001' })],
    ['payout', ({ payout }) => ({ payout: (BigInt(payout) + 1n).toString() })],
    ['multiplier', ({ multiplier }) => ({ multiplier: multiplier + 0.01 })],
    ['win', ({ win }) => ({ win: !win })],
  ])('whose %s was replaced does not verify', (_what, change) => {
    for (const selection of SELECTIONS) {
      const play = played(selection)
      // The stake alone makes no difference if nothing is paid.
      if (play.payout === '0' && 'amount' in change(play)) continue
      expect([selection.game, holds({ ...play, ...change(play) })]).toEqual([selection.game, false])
    }
  })

  it.each<[string, number, object]>([
    ['mine', 0, { mines: [1, 2, 3] }],
    ['limbo result', 1, { result: 1.51 }],
    ['path', 2, { path: 'LLLLLLLLLLLL' }],
    ['bucket', 2, { bucket: 1 }],
    ['draw', 3, { draws: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }],
    ['number of hits', 3, { hits: 0 }],
  ])('with another %s does not verify', (_what, index, change) => {
    const selection = SELECTIONS[index]
    if (!selection) throw new Error('no such selection')
    const play = played(selection)
    expect(holds({ ...play, meta: { ...play.meta, ...change } })).toBe(false)
  })

  it.each<[string, object]>([
    ['nothing', {}],
    ['a tile off the board', { meta: { mines: [25], picked: [0] } }],
    ['no mines', { meta: { mines: [], picked: [0] } }],
    ['an invalid seed', { seed: 'xyz' }],
    ['an amount as a number', { amount: 1 }],
    ['an unknown game', { game: 'dice' }],
    ['an invalid wallet', { wallet: '0x\u001b[2J' }],
  ])('that is malformed (%s) is reported as such', (_what, change) => {
    const [selection] = SELECTIONS
    const play = selection && Object.keys(change).length > 0 ? played(selection) : {}
    expect(() => readPlays({ ...play, ...change }, 'it')).toThrow(/it is not a play/)
  })
})
