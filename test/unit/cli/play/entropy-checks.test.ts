import { describe, expect, it } from 'vitest'
import { checkPlayed, type Deal } from '../../../../src/cli/play/entropy-checks.ts'
import { readParams } from '../../../../src/cli/play/entropy-game.ts'
import { commitmentOf } from '../../../../src/fairness/seed.ts'
import { GAME_NAMES, type Selection } from '../../../../src/games/games.ts'
import type { PlayAnswer } from '../../../../src/games/play-request.ts'
import { settle } from '../../../../src/games/play.ts'

const SEED = '9f7e2493d3e64681667295f3a2ffd7da0fcf1d24181bbb1ca71df589304e878d'
const NEXT = { nonce: 2, seedHash: 'ab'.repeat(32) }
const AMOUNT_WEI = 1_000_001n

function dealOf(selection: Selection): Deal {
  return {
    selection,
    token: 'USDG',
    amountWei: AMOUNT_WEI,
    nonce: 1,
    seedHash: commitmentOf(SEED),
    clientSeed: 'v750-_nL',
    edgeBps: 100,
    tables: 1,
    chipsBefore: 5_000_000n,
  }
}

/** The answer of a house that settles this selection, honestly or not. */
function answerTo(deal: Deal, selection = deal.selection, edgeBps = deal.edgeBps): PlayAnswer {
  const settled = settle(selection, deal, { ...deal, seed: SEED }, { ...deal, edgeBps })
  const chips = (deal.chipsBefore - AMOUNT_WEI + BigInt(settled.payout)).toString()
  return {
    ok: true,
    ...settled,
    settledAt: 0,
    nextSeedHash: NEXT.seedHash,
    me: { chips: { ETH: '0', USDG: chips } },
  }
}

const failed = (deal: Deal, answer: PlayAnswer, next = NEXT) =>
  checkPlayed(deal, answer, next).flatMap(({ claim, holds }) => (holds ? [] : [claim]))

const CHOICE = 'its choice and stake are the ones you sent'

const MINES: Selection = { game: 'mines', params: { mines: 3, picked: [0, 1] } }
const LIMBO: Selection = { game: 'limbo', params: { target: 150 } }
const KENO: Selection = { game: 'keno', params: { picks: [19, 29, 5], risk: 'classic' } }

describe('a play in the terminal', () => {
  it.each(GAME_NAMES)('of %s with default params passes', (game) => {
    const deal = dealOf(readParams(game, undefined).selection)
    expect(failed(deal, answerTo(deal))).toEqual([])
  })

  it.each<[string, Selection, Selection]>([
    ['other tiles', MINES, { game: 'mines', params: { mines: 3, picked: [0, 2] } }],
    ['another target', LIMBO, { game: 'limbo', params: { target: 151 } }],
    ['another risk', KENO, { game: 'keno', params: { picks: [19, 29, 5], risk: 'high' } }],
    ['another game', LIMBO, KENO],
  ])('settled with %s fails as a different request', (_what, asked, settled) => {
    const deal = dealOf(asked)
    expect(failed(deal, answerTo(deal, settled))).toEqual([CHOICE])
  })

  it('settled with another stake fails as a different request', () => {
    const deal = dealOf(MINES)
    expect(failed(deal, answerTo({ ...deal, amountWei: 1_000_000n }))).toContain(CHOICE)
  })

  it('settled in another token fails as a different request', () => {
    const deal = dealOf(MINES)
    expect(failed(deal, { ...answerTo(deal), token: 'ETH' })).toEqual([CHOICE])
  })

  it('settled at an edge other than the one shown fails', () => {
    const deal = dealOf(MINES)
    expect(failed(deal, answerTo(deal, MINES, 500))).toEqual([
      'its house edge is the one shown before, 1%',
    ])
  })

  it('settled under another commitment, client seed or nonce fails', () => {
    const deal = dealOf(LIMBO)
    const answer = answerTo(deal)
    const claims = [
      failed({ ...deal, seedHash: 'cd'.repeat(32) }, answer),
      failed({ ...deal, clientSeed: 'mine' }, answer),
      failed({ ...deal, nonce: 2 }, answer, { ...NEXT, nonce: 3 }),
    ]
    expect(claims).toEqual([
      ['its seed hash is the one you saw before you played'],
      ['its client seed is the one you sent', CHOICE],
      ['it is play 2'],
    ])
  })

  it('with another next commitment or next nonce fails', () => {
    const deal = dealOf(LIMBO)
    const claim = 'the next play is committed to as the answer says'
    const answer = answerTo(deal)
    expect(failed(deal, answer, { ...NEXT, seedHash: 'cd'.repeat(32) })).toEqual([claim])
    expect(failed(deal, answer, { ...NEXT, nonce: 3 })).toEqual([claim])
  })

  it('with chips that do not add up fails', () => {
    const deal = dealOf(LIMBO)
    const answer = { ...answerTo(deal), me: { chips: { ETH: '0', USDG: '1' } } }
    expect(failed(deal, answer)).toEqual(['your chips add up: 5 USDG before, 0.000001 USDG after'])
  })

  it('of mines cashed out by the house with a safe pick fails, unless it was the last one', () => {
    const { meta } = answerTo(dealOf(MINES)) as { meta: { mines: number[] } }
    const picked = [...Array(25).keys()].filter((tile) => !meta.mines.includes(tile)).slice(0, 4)
    const endedWith = (maxPicks: number) => {
      const seen = { opened: { openedAt: 0, maxPicks }, ended: picked[3]! }
      const deal = { ...dealOf({ game: 'mines', params: { mines: 3, picked } }), seen }
      return failed(deal, answerTo(deal))
    }
    expect(endedWith(22)).toEqual([
      `it ended with your pick of tile ${picked[3]} as the last of 22`,
    ])
    expect(endedWith(4)).toEqual([])
  })

  it('answered with a list, even an empty one, is invalid', () => {
    const deal = dealOf(LIMBO)
    const list = { ok: true, recent: [], me: { chips: { ETH: '0', USDG: '0' } } }
    expect(() => checkPlayed(deal, list as unknown as PlayAnswer, NEXT)).toThrow(/is not a play/)
  })
})

describe('the option --params', () => {
  it('is read as the API reads it: defaults filled in, unknown keys ignored', () => {
    expect(readParams('limbo', '{"target": 2.50, "unknown": 1}').selection.params).toEqual({
      target: 250,
    })
    expect(readParams('keno', '{"picks": [3, 1], "risk": null}').selection.params).toEqual({
      picks: [3, 1],
      risk: 'classic',
    })
    expect(readParams('mines', '{"mines": 2, "pick": 2}').selection.params).toEqual({
      mines: 2,
      picked: [0, 1],
    })
  })

  it.each([
    ['mines', '{"mines": 30, "pick": 1}', /params\.mines: must be a whole number from 1 to 24/],
    ['mines', '[]', /must be a JSON object/],
    ['limbo', 'x', /is not valid JSON/],
    ['limbo', '{"target": 1.505}', /params\.target/],
    ['keno', '{"picks": [1, 1]}', /pick each number once/],
  ] as const)('of %s is refused before a play is made: %s', (game, text, problem) => {
    expect(() => readParams(game, text)).toThrow(problem)
  })
})
