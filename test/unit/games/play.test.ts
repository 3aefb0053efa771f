import { describe, expect, it } from 'vitest'
import { checkPlay, playPostings, type PlayRequest } from '../../../src/games/play-request.ts'
import { bestMultiplier, largestStake, outcomeOf, settle } from '../../../src/games/play.ts'
import { scaleDown } from '../../../src/money/rational.ts'
import { ALL_OPEN, TERMS } from '../support/builders.ts'
import { forAll, forMany } from '../support/for-all.ts'
import { amounts, draws, payTerms, selections } from './arbitraries.ts'

describe('for any selection and draw', () => {
  it('no outcome exceeds the best one, which sets the limit', () => {
    forMany(1_000, selections, draws, payTerms, (selection, draw, terms) => {
      const best = bestMultiplier(selection, terms)
      const { multiplier } = outcomeOf(selection, draw, terms)
      expect(
        multiplier.numerator * best.denominator <= best.numerator * multiplier.denominator,
      ).toBe(true)
    })
  })

  it('the payout is the exact product, rounded down by less than one unit', () => {
    forMany(1_000, selections, draws, payTerms, amounts, (selection, draw, terms, amountWei) => {
      const { multiplier } = outcomeOf(selection, draw, terms)
      const play = settle(selection, { token: 'ETH', amountWei }, draw, terms)
      const lost = amountWei * multiplier.numerator - BigInt(play.payout) * multiplier.denominator
      expect(lost >= 0n && lost < multiplier.denominator).toBe(true)
      expect(play.win).toBe(multiplier.numerator > 0n)
    })
  })

  it('the largest stake stays within the limit, and one unit more does not', () => {
    forMany(1_000, selections, payTerms, amounts, (selection, terms, maxPayout) => {
      const best = bestMultiplier(selection, terms)
      const largest = largestStake(selection, maxPayout, terms)
      if (largest === null) throw new Error('every selection can win something')
      expect(scaleDown(largest, best) <= maxPayout).toBe(true)
      expect(scaleDown(largest + 1n, best) > maxPayout).toBe(true)
    })
  })

  it('an accepted play never pays above the limit', () => {
    forMany(1_000, selections, draws, amounts, amounts, (selection, draw, amountWei, maxPayout) => {
      const asked = request({ selection, amountWei, maxPayout, max: amountWei })
      const refusal = checkPlay(asked, 0, amountWei)
      const { payout } = settle(selection, asked, draw, asked)
      if (refusal) expect(refusal.error.code).toBe('payout_limit')
      else expect(BigInt(payout) <= maxPayout).toBe(true)
    })
  })

  it('only the stake and the payout move', () => {
    forAll(selections, draws, amounts, (selection, draw, amountWei) => {
      const play = settle(selection, { token: 'ETH', amountWei }, draw, {
        edgeBps: 100,
        tables: 1,
      })
      const change = playPostings(play).reduce(
        (total, { from, amountWei: moved }) =>
          total + (from === 'house' ? BigInt(moved) : -BigInt(moved)),
        0n,
      )
      expect(change).toBe(BigInt(play.payout) - amountWei)
    })
  })
})

describe('a play is checked', () => {
  it.each<[string, Partial<PlayRequest>, string | undefined]>([
    ['against its number first', { nonce: 4, amountWei: 0n }, 'nonce_mismatch'],
    ['then against the bounds', { amountWei: 0n, maxPayout: 1n }, 'amount_out_of_bounds'],
    ['and against the upper bound', { amountWei: 101n }, 'amount_out_of_bounds'],
    ['then against the limit', { amountWei: 100n, maxPayout: 199n }, 'payout_limit'],
    ['then against the chips', { amountWei: 100n }, 'insufficient_chips'],
    ['and accepted when it stakes all chips', { amountWei: 99n }, undefined],
    ['and accepted by its number', { amountWei: 10n, nonce: 3 }, undefined],
  ])('%s', (_when, asked, code) => {
    expect(checkPlay(request(asked), 3, 99n)?.error.code).toBe(code)
  })
})

function request(asked: Partial<PlayRequest>): PlayRequest {
  return {
    selection: { game: 'limbo', params: { target: 200 } },
    token: 'ETH',
    amountWei: 10n,
    clientSeed: 'mine',
    nonce: null,
    edgeBps: 100,
    tables: 1,
    min: 1n,
    max: 100n,
    maxPayout: 200n,
    terms: TERMS.hash,
    minPlayMs: 0,
    seenTerms: null,
    modes: ALL_OPEN,
    ...asked,
  }
}
