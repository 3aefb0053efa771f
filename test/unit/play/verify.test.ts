import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { discloseWhole, type WholeRound } from '../../../src/crash/disclosure.ts'
import { shownLimits } from '../../../src/crash/plan.ts'
import { commitmentOf } from '../../../src/fairness/seed.ts'
import { type Selection } from '../../../src/games/games.ts'
import { settle } from '../../../src/games/play.ts'
import { isFailure } from '../../../src/play/api.ts'
import { proofOfBet, proofOfWhole, proveBet, withAllBets } from '../../../src/play/verify/crash.ts'
import { proofOfPlay, provePlay } from '../../../src/play/verify/play.ts'
import type { Proof } from '../../../src/play/verify/proof.ts'
import { playedRound } from '../cli/monitor/house.ts'
import { disclosedCommitted, roundOf, TAKEOFF_AT } from '../support/builders.ts'
import { inBrowser } from './in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const SEED = '9f7e2493d3e64681667295f3a2ffd7da0fcf1d24181bbb1ca71df589304e878d'

beforeEach(() => vi.stubGlobal('location', { hostname: 'localhost' }))
afterEach(() => vi.unstubAllGlobals())

/** A service that answers a single path. */
function serve(path: string, answer: object): void {
  vi.stubGlobal('fetch', async (asked: string) => {
    if (asked === path) return Response.json(answer)
    throw new Error(`${asked} was asked for`)
  })
}

function playOf(selection: Selection) {
  const draw = { seed: SEED, seedHash: commitmentOf(SEED), clientSeed: 'v750-_nL', nonce: 3 }
  const stake = { token: 'USDG' as const, amountWei: 1_000_000n }
  return {
    ok: true,
    wallet: WALLET,
    ...settle(selection, stake, draw, { edgeBps: 100, tables: 1 }),
    nextSeedHash: commitmentOf('cc'.repeat(32)),
    settledAt: 1,
  }
}

async function provenPlay(selection: Selection) {
  const play = playOf(selection)
  serve(`/api/entropy?action=play&wallet=${WALLET}&nonce=3`, play)
  const proof = await provePlay(WALLET, '3')
  if (isFailure(proof)) throw new Error(proof.error.message)
  return { play, proof }
}

describe('the page verifies a play', () => {
  it.each<Selection>([
    { game: 'plinko', params: { risk: 'low', rows: 12 } },
    { game: 'keno', params: { picks: [19, 29, 5], risk: 'low' } },
  ])('of $game by its number, and shows which tables bind its multiplier', async (selection) => {
    const { play, proof } = await provenPlay(selection)
    expect(proof.checks.every(({ holds }) => holds)).toBe(true)
    const name = 'What the pay tables, version 1, pay for it'
    expect(proof.steps).toContainEqual({ name, value: `${play.multiplier}x` })
  })

  it('of limbo by its number, without a pay table', async () => {
    const { proof } = await provenPlay({ game: 'limbo', params: { target: 150 } })
    expect(proof.checks.every(({ holds }) => holds)).toBe(true)
    expect(proof.steps.some(({ name }) => name.includes('tables'))).toBe(false)
  })
})

describe('the page verifies a bet', () => {
  it('by its round, with its payout', async () => {
    const round = disclosedCommitted()
    const bet = { amountWei: '1000', autoCashout: null, multiplier: 0, payout: '0' }
    serve(`/api/crash?action=bet&wallet=${WALLET}&roundId=${round.roundId}`, {
      ok: true,
      wallet: WALLET,
      token: 'USDG',
      placedAt: 1,
      outcome: 'lost',
      ...bet,
      ...round,
    })
    const proof = await proveBet(WALLET, String(round.roundId))
    if (isFailure(proof)) throw new Error(proof.error.message)
    expect(proof.title).toBe(`Bet in round ${round.roundId}`)
    expect(proof.checks.map(({ holds }) => holds)).toEqual([true, true, true, true, true])
    expect(proof.steps.at(-1)?.value).toBe('1000, 0.00x, 0')
  })
})

describe('the page verifies what was asked for', () => {
  const OTHER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  const play = playOf({ game: 'limbo', params: { target: 150 } })
  const round = disclosedCommitted()
  const bet = {
    ok: true as const,
    wallet: WALLET,
    token: 'USDG' as const,
    placedAt: 1,
    outcome: 'lost' as const,
    amountWei: '1000',
    autoCashout: null,
    multiplier: 0,
    payout: '0',
    ...round,
  }
  const broken = ({ checks }: Proof) =>
    checks.filter(({ holds }) => !holds).map(({ claim }) => claim)

  it('in any letter case', () => {
    expect(broken(proofOfPlay(play, WALLET.toLowerCase(), '3'))).toEqual([])
    expect(broken(proofOfBet(bet, WALLET.toLowerCase(), String(round.roundId)))).toEqual([])
  })

  it.each([
    [OTHER, '3'],
    [WALLET, '4'],
  ])('and catches the answer of another wallet or number', (wallet, nonce) => {
    expect(broken(proofOfPlay(play, wallet, nonce))).toEqual([`it is play ${nonce} of ${wallet}`])
    const roundId = String(round.roundId + Number(nonce) - 3)
    expect(broken(proofOfBet(bet, wallet, roundId))).toEqual([
      `it is the bet of ${wallet} in round ${roundId}`,
    ])
  })

  it('with the evidence of that name, whatever name the answer has', () => {
    const stored = inBrowser('localhost')
    const seedHash = 'ab'.repeat(32)
    stored.set('fairhouse.seen.plays', JSON.stringify([[`${WALLET}/3`, { seedHash }]]))
    stored.set('fairhouse.seen.rounds', JSON.stringify([[String(round.roundId), { seedHash }]]))
    const renamed = { ...play, wallet: WALLET.toLowerCase(), nonce: 4 }
    expect(broken(proofOfPlay(renamed, WALLET, '3'))).toContain(
      'its seed hash is the one you saw before you played',
    )
    const moved = { ...bet, roundId: round.roundId + 1 }
    expect(broken(proofOfBet(moved, WALLET, String(round.roundId)))).toContain(
      'its seed hash is the one you saw before bets closed',
    )
  })

  const evidence = ({ seedHash, pepperSource, betsCloseAt, edgeBps }: typeof round) => ({
    seedHash,
    pepperSource,
    betsCloseAt,
    edgeBps,
    seenAt: round.openedAt,
  })

  it.each([
    ['another automatic cash-out', { autoCashout: 1.01 }],
    ['another stake', { amountWei: '1000000' }],
    ['another token', { token: 'ETH' }],
  ])('and catches a bet with %s than this browser sent', (_what, change) => {
    const sent = {
      wallet: WALLET.toLowerCase(),
      token: 'USDG',
      amountWei: '1000',
      autoCashout: null,
    }
    const stored = inBrowser('localhost')
    const brokenAfter = (own: object) => {
      const seen = { ...evidence(round), bet: own }
      stored.set('fairhouse.seen.rounds', JSON.stringify([[String(round.roundId), seen]]))
      return broken(proofOfBet(bet, WALLET, String(round.roundId)))
    }
    expect(brokenAfter(sent)).toEqual([])
    expect(brokenAfter({ ...sent, ...change, wallet: OTHER })).toEqual([])
    expect(brokenAfter({ ...sent, ...change })).toEqual([
      'your bet has the token, the stake and the automatic cash-out that you sent',
    ])
  })

  it('and names a cash-out that neither its target nor this browser explains', () => {
    const sent = { wallet: WALLET, token: 'USDG', amountWei: '1000', autoCashout: 1.5 }
    const stored = inBrowser('localhost')
    const noteOf = (multiplier: number, seen: object) => {
      const known = { ...evidence(round), bet: sent, ...seen }
      stored.set('fairhouse.seen.rounds', JSON.stringify([[String(round.roundId), known]]))
      const won = { ...bet, outcome: 'won' as const, autoCashout: 1.5, multiplier }
      return proofOfBet(won, WALLET, String(round.roundId)).note
    }
    expect(noteOf(1.02, {})).toContain('This browser did not cash the bet out.')
    expect(noteOf(1.02, { hasCashedOut: true })).toBeUndefined()
    expect(noteOf(1.5, {})).toBeUndefined()
  })
})

describe('the page of a round verifies the round that it shows', () => {
  const { whole } = playedRound()
  const roundId = String(whole.roundId)
  const broken = (round: WholeRound, asked = roundId) =>
    proofOfWhole(round, asked)
      .checks.filter(({ holds }) => !holds)
      .map(({ claim }) => claim)

  it('with its end and its bets', () => {
    expect(broken(whole)).toEqual([])
  })

  it('and catches another crash point, another seed or another round', () => {
    expect(broken({ ...whole, crash: 1_000 })).toContainEqual(expect.stringContaining('crash at'))
    expect(broken({ ...whole, seed: SEED })).toContainEqual(expect.stringContaining('seed hash'))
    expect(broken(whole, '8888')).toEqual(['it is round 8888'])
  })

  it('and verifies nothing of bets that are left to further pages', async () => {
    const first = { ...whole, bets: whole.bets.slice(0, 1), next: 1 }
    expect(broken(first)).toContainEqual(expect.stringContaining('fixed at the close'))
    serve(`/api/crash?action=round&roundId=${roundId}&from=1`, {
      ...whole,
      bets: whole.bets.slice(1),
    })
    expect(await withAllBets(first)).toMatchObject({ bets: whole.bets })
    serve(`/api/crash?action=round&roundId=${roundId}&from=1`, { ...whole, bets: [] })
    expect(await withAllBets(first)).toMatchObject({ bets: first.bets })
  })

  it('and compares it with what this browser saw before', () => {
    const shown = { ...shownLimits(whole.plan!), minForcedMultiplier: 2 }
    const seen = {
      seedHash: 'ab',
      betsRoot: 'cd',
      betCount: whole.betCount + 1,
      shownLimits: shown,
      bet: { wallet: 'ALICE', token: 'ETH', amountWei: '100', autoCashout: 4 },
    }
    inBrowser('localhost').set('fairhouse.seen.rounds', JSON.stringify([[roundId, seen]]))
    expect(broken(whole)).toEqual([
      'its seed hash is the one you saw before bets closed',
      'its root of bets is the one you saw after bets closed',
      'its number of bets is the one you saw after bets closed',
      'its limits are those you saw before you bet',
      'your bet has the token, the stake and the automatic cash-out that you sent',
    ])
  })

  it('and accepts what the browser saw of an honest house, with or without a bet', () => {
    const { seedHash } = whole
    const bet = { wallet: 'ALICE', token: 'ETH', amountWei: '100', autoCashout: 2 }
    const seen = { seedHash, shownLimits: shownLimits(whole.plan!), bet }
    const stored = inBrowser('localhost')
    for (const each of [seen, { seedHash }]) {
      stored.set('fairhouse.seen.rounds', JSON.stringify([[roundId, each]]))
      expect(broken(whole)).toEqual([])
    }
  })

  it('and names a cash-out by hand that this browser did not make', () => {
    const round = roundOf(300, [{ wallet: 'alice' }])
    round.advance(TAKEOFF_AT + 5_000)
    round.cashOut('alice', TAKEOFF_AT + 5_000)
    round.advance(TAKEOFF_AT + 600_000)
    const { betsRoot } = round.fixedBets
    const plan = round.record.plan
    const ended = discloseWhole(round.result()!, { plan, betsRoot }, round.bets, 0)
    const bet = { wallet: 'ALICE', token: 'ETH', amountWei: '100', autoCashout: null }
    const stored = inBrowser('localhost')
    const noteAfter = (seen: object) => {
      stored.set('fairhouse.seen.rounds', JSON.stringify([[roundId, { seedHash: 'ab', ...seen }]]))
      return proofOfWhole(ended, roundId).note
    }
    expect(noteAfter({ bet })).toContain('you cashed out at 1.34x. This browser did not.')
    expect(noteAfter({ bet, hasCashedOut: true })).toBeUndefined()
    expect(noteAfter({ bet: { ...bet, wallet: 'bob' } })).toBeUndefined()
    expect(noteAfter({})).toBeUndefined()
  })
})
