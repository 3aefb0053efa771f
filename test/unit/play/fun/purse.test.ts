import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isRefusal } from '../../../../src/core/refusal.ts'
import { selectionFrom, wireParams } from '../../../../src/games/games.ts'
import { TILES } from '../../../../src/games/mines/rule.ts'
import {
  cashOutAt,
  placeBet,
  settleBet,
  type PublishedRound,
} from '../../../../src/play/fun/bets.ts'
import { GRANT_WEI } from '../../../../src/play/fun/fun.ts'
import {
  cashOutGame,
  commitmentIn,
  newPurse,
  openGame,
  pick,
  play,
  refilled,
  type FunPlay,
  type Purse,
  type PurseTransition,
} from '../../../../src/play/fun/purse.ts'
import { verifyPlay } from '../../../../src/verify/play.ts'
import { selections } from '../../games/arbitraries.ts'
import { anySecret } from '../../support/builders.ts'
import { forAll, forMany } from '../../support/for-all.ts'

const TERMS = { edgeBps: 100, tables: 1, minPlayMs: 0 }
const FIRST_SEED = '5e'.repeat(32)

type Action = (purse: Purse) => PurseTransition<unknown> | { ok: false }

const stakes = fc.bigInt({ min: 10_000n, max: GRANT_WEI })
const clientSeeds = fc.string({ minLength: 1, maxLength: 8 })
const published: fc.Arbitrary<PublishedRound> = fc.oneof(
  fc.record({
    kind: fc.constant('flight' as const),
    multiplier: fc.integer({ min: 100, max: 500 }),
  }),
  fc.record({ kind: fc.constant('crashed' as const), crash: fc.integer({ min: 100, max: 500 }) }),
  fc.constant({ kind: 'voided' as const }),
)

/** Anything that can happen to a purse, most of it accepted. */
const actions: fc.Arbitrary<Action> = fc.oneof(
  fc.constant((purse: Purse) => ({ purse: refilled(purse), answer: null })),
  fc
    .record({ selection: selections, amountWei: stakes, clientSeed: clientSeeds, seed: anySecret })
    .map(({ seed, ...request }): Action => (purse) => {
      const { nonce } = commitmentIn(purse)
      return play(purse, { ...request, ...TERMS, nonce }, { at: 1, seed })
    }),
  fc
    .record({
      mines: fc.integer({ min: 1, max: TILES - 1 }),
      amountWei: stakes,
      clientSeed: clientSeeds,
      seed: anySecret,
    })
    .map(({ seed, ...request }): Action => (purse) => {
      const { nonce } = commitmentIn(purse)
      return openGame(purse, { ...request, ...TERMS, nonce }, { at: 1, seed })
    }),
  fc.integer({ min: 0, max: TILES - 1 }).map(
    (tile): Action =>
      (purse) =>
        pick(purse, { nonce: purse.game?.nonce ?? 0, tile, at: 1 }),
  ),
  fc.constant((purse: Purse) => cashOutGame(purse, purse.game?.nonce ?? 0, 1)),
  fc
    .record({
      roundId: fc.integer({ min: 1, max: 9 }),
      amountWei: stakes,
      autoCashout: fc.option(fc.integer({ min: 101, max: 400 })),
    })
    .map(
      (request): Action =>
        (purse) =>
          placeBet(purse, { ...request, isOpen: true, at: 1 }),
    ),
  fc.integer({ min: 100, max: 500 }).map((shown): Action => (purse) => ({
    purse: cashOutAt(purse, shown),
    answer: null,
  })),
  published.map((end): Action => (purse) => ({ purse: settleBet(purse, end), answer: null })),
)

/** Returns what has been paid less what has been staked, in settled and open plays and bets. */
function netOf({ plays, bets, game, bet }: Purse, staked: bigint): bigint {
  const paid = [...plays.map(({ payout }) => payout), ...bets.map(({ payoutWei }) => payoutWei)]
  const open = BigInt(game?.amountWei ?? 0) + BigInt(bet?.amountWei ?? 0)
  return paid.reduce((sum, each) => sum + BigInt(each), 0n) - staked - open
}

describe('a purse of fun chips', () => {
  it('holds what was granted and paid less what was staked, never less than nothing', () => {
    forMany(300, fc.array(actions, { maxLength: 19 }), (steps) => {
      let purse = newPurse(FIRST_SEED)
      let stakedInBets = 0n
      for (const act of steps) {
        const { bet } = purse
        const step = act(purse)
        if ('ok' in step) continue
        if (bet && !step.purse.bet) stakedInBets += BigInt(bet.amountWei)
        // What a reload finds is the same purse.
        purse = JSON.parse(JSON.stringify(step.purse)) as Purse
        expect(purse).toEqual(step.purse)
        const staked = purse.plays.reduce((sum, each) => sum + BigInt(each.amount), stakedInBets)
        const granted = BigInt(purse.grants) * GRANT_WEI
        expect(BigInt(purse.chipsWei)).toBe(granted + netOf(purse, staked))
        expect(BigInt(purse.chipsWei) >= 0n).toBe(true)
      }
    })
  })

  it('settles every play by the rules, under the hash that was shown before it', () => {
    forAll(selections, stakes, clientSeeds, anySecret, (selection, amountWei, clientSeed, seed) => {
      const purse = newPurse(FIRST_SEED)
      const { nonce, seedHash } = commitmentIn(purse)
      const request = { selection, amountWei, clientSeed, nonce, ...TERMS }
      const step = play(purse, request, { at: 1, seed })
      if (isRefusal(step)) {
        expect(step.error.code).toBe('payout_limit')
        return
      }
      const failed = verifyPlay(step.answer, { seedHash, clientSeed }).filter(({ holds }) => !holds)
      expect(failed).toEqual([])
      expect(commitmentIn(step.purse)).toEqual({ nonce: 1, seedHash: step.answer.nextSeedHash })
    })
  })

  it('answers a play that is asked for again as before, and another choice not at all', () => {
    forAll(stakes, anySecret, anySecret, (amountWei, seed, other) => {
      const selection = { game: 'limbo' as const, params: { target: 200 } }
      const request = { selection, amountWei, clientSeed: 'mine', nonce: 0, ...TERMS }
      const first = taken(play(newPurse(FIRST_SEED), request, { at: 1, seed }))
      expect(play(first.purse, request, { at: 2, seed: other })).toEqual(first)
      const changed = play(
        first.purse,
        { ...request, clientSeed: 'theirs' },
        { at: 2, seed: other },
      )
      expect(changed).toMatchObject({ error: { code: 'idempotency_conflict' } })
    })
  })

  it('ends a game of mines as the play that picks the same tiles at once', () => {
    const tiles = fc.uniqueArray(fc.integer({ min: 0, max: TILES - 1 }), { minLength: 1 })
    const anyMines = fc.integer({ min: 1, max: TILES - 1 })
    forAll(anyMines, tiles, stakes, anySecret, (mines, picks, amountWei, seed) => {
      const purse = newPurse(seed)
      const request = { amountWei, clientSeed: 'mine', nonce: 0, ...TERMS }
      let { purse: now } = taken(
        openGame(purse, { ...request, mines }, { at: 1, seed: FIRST_SEED }),
      )
      for (const tile of picks) {
        if (now.game) now = taken(pick(now, { nonce: 0, tile, at: 1 })).purse
      }
      if (now.game) now = taken(cashOutGame(now, 0, 1)).purse
      const [ended] = now.plays as [FunPlay & { game: 'mines' }]
      const params = { mines, picked: ended.meta.picked }
      const selection = { game: 'mines' as const, params }
      const atOnce = play(purse, { ...request, selection }, { at: 1, seed: FIRST_SEED })
      expect(taken(atOnce).answer).toEqual(ended)
    })
  })

  it('plays no sooner than the deployment allows', () => {
    const selection = { game: 'limbo' as const, params: { target: 200 } }
    const request = {
      selection,
      amountWei: 10_000n,
      clientSeed: 'mine',
      ...TERMS,
      minPlayMs: 2_500,
    }
    const chance = { at: 10_000, seed: FIRST_SEED }
    const { purse } = taken(play(newPurse(FIRST_SEED), { ...request, nonce: 0 }, chance))
    const next = { ...request, nonce: 1 }
    const early = play(purse, next, { ...chance, at: 12_499 })
    expect(early).toMatchObject({ error: { code: 'too_early', details: { from: 12_500 } } })
    taken(play(purse, next, { ...chance, at: 12_500 }))
  })
})

describe('a bet of fun chips', () => {
  it('is paid at its target only once the round is published to have got there', () => {
    forAll(fc.integer({ min: 101, max: 400 }), published, (autoCashout, end) => {
      const request = { roundId: 1, amountWei: 1_000_000n, autoCashout, isOpen: true, at: 1 }
      const { purse } = taken(placeBet(newPurse(FIRST_SEED), request))
      const [ended] = settleBet(purse, end).bets
      const reached =
        end.kind === 'flight' ? end.multiplier : end.kind === 'crashed' ? end.crash : 0
      if (end.kind === 'voided') expect(ended?.payoutWei).toBe('1000000')
      else if (reached >= autoCashout) {
        expect(ended).toMatchObject({ multiplier: autoCashout, payoutWei: `${autoCashout}0000` })
      } else if (end.kind === 'flight') expect(ended).toBeUndefined()
      else expect(ended).toMatchObject({ multiplier: null, payoutWei: '0' })
    })
  })

  it('is lost in a round that crashes at take-off, whenever it was cashed out', () => {
    const request = { roundId: 1, amountWei: 1_000_000n, autoCashout: null, isOpen: true, at: 1 }
    const { purse } = taken(placeBet(newPurse(FIRST_SEED), request))
    const ended = settleBet(cashOutAt(purse, 100), { kind: 'crashed', crash: 100 })
    expect(ended.bets[0]?.payoutWei).toBe('0')
  })

  it('is cashed out at the first multiplier that was pressed at or set', () => {
    const request = { roundId: 1, amountWei: 1_000_000n, autoCashout: 200, isOpen: true, at: 1 }
    const { purse } = taken(placeBet(newPurse(FIRST_SEED), request))
    const pressed = cashOutAt(cashOutAt(purse, 150), 180)
    expect(pressed.bet?.target).toBe(150)
    expect(cashOutAt(purse, 300).bet?.target).toBe(200)
  })

  it('is refused once betting has closed, and twice in a round', () => {
    const request = { roundId: 1, amountWei: 1_000_000n, autoCashout: null, isOpen: true, at: 1 }
    const late = placeBet(newPurse(FIRST_SEED), { ...request, isOpen: false })
    expect(late).toMatchObject({ error: { code: 'betting_closed' } })
    const { purse } = taken(placeBet(newPurse(FIRST_SEED), request))
    expect(placeBet(purse, request)).toEqual({ purse, answer: null })
    expect(placeBet(purse, { ...request, amountWei: 2n })).toMatchObject({
      error: { code: 'bet_exists' },
    })
    const settled = settleBet(purse, { kind: 'voided' })
    expect(placeBet(settled, request)).toMatchObject({ error: { code: 'betting_closed' } })
  })
})

describe('a selection', () => {
  it('is the same after its way to the wire and back', () => {
    forAll(selections, (selection) => {
      const wire = wireParams(selection) as Record<string, unknown>
      expect(selectionFrom(selection.game, wire)).toEqual(selection)
    })
  })
})

function taken<Answer>(step: PurseTransition<Answer> | { ok: false }): PurseTransition<Answer> {
  if ('ok' in step) throw new Error(JSON.stringify(step))
  return step
}
