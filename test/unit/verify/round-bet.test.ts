import { describe, expect, it } from 'vitest'
import type { FinalOutcome } from '../../../src/crash/bet.ts'
import { discloseBet, type DisclosedBet } from '../../../src/crash/disclosure.ts'
import { Round } from '../../../src/crash/round.ts'
import { commitmentOf } from '../../../src/fairness/seed.ts'
import { toMultiplier, type Hundredths } from '../../../src/money/multiplier.ts'
import { verifyBet, type SeenRound } from '../../../src/verify/round.ts'
import { OPENED_AT, placement, recordOf, VOID_AT } from '../support/builders.ts'

/** Far above the crash point of every round here. */
const LATER = OPENED_AT + 600_000

/** A disclosed bet of 151 units in a round with this crash point. */
function disclosed(crash: Hundredths, autoCashout: Hundredths | null): DisclosedBet {
  const round = new Round(recordOf('committed', crash), [])
  const order = placement({ amountWei: 151n, autoCashout })
  round.place(order, OPENED_AT)
  round.advance(LATER)
  return disclosureOf(round, order)
}

function disclosureOf(round: Round, order: ReturnType<typeof placement>): DisclosedBet {
  const outcome = round.outcome(order.betId) as Exclude<FinalOutcome, { kind: 'never_placed' }>
  const result = round.result()
  if (!result) throw new Error('the round has not ended')
  return discloseBet(order.wallet, { ...order, placedAt: OPENED_AT, outcome }, result)
}

function voided(): DisclosedBet {
  const round = new Round(recordOf('drand-quicknet', 200), [])
  const order = placement({ amountWei: 151n })
  round.place(order, OPENED_AT)
  round.advance(VOID_AT)
  return disclosureOf(round, order)
}

const failed = (bet: DisclosedBet, seen?: SeenRound) =>
  verifyBet(bet, seen).flatMap(({ claim, holds }) => (holds ? [] : [claim]))
const holds = (bet: object) => failed(bet as DisclosedBet).length === 0

describe('an ended bet', () => {
  it('that won verifies, and pays stake times multiplier, rounded down', () => {
    const bet = disclosed(300, 150)
    expect(bet).toMatchObject({ outcome: 'won', multiplier: 1.5, payout: '226', crash: 3 })
    expect(failed(bet)).toEqual([])
  })

  it('that won exactly at the crash point verifies, and not if it is said to have lost there', () => {
    const bet = disclosed(300, 300)
    expect(failed(bet)).toEqual([])
    expect(holds({ ...bet, outcome: 'lost', multiplier: 0, payout: '0' })).toBe(false)
  })

  it.each([null, 301])('that lost with the target %o verifies', (autoCashout) => {
    const bet = disclosed(300, autoCashout)
    expect(bet).toMatchObject({ outcome: 'lost', multiplier: 0, payout: '0' })
    expect(bet.autoCashout).toBe(autoCashout === null ? null : toMultiplier(autoCashout))
    expect(failed(bet)).toEqual([])
  })

  it('of a voided round verifies with its refund', () => {
    const bet = voided()
    expect(bet).toMatchObject({ outcome: 'voided', multiplier: 1, payout: '151' })
    expect(failed(bet)).toEqual([])
    expect(holds({ ...bet, payout: '150' })).toBe(false)
    expect(holds({ ...bet, multiplier: 2 })).toBe(false)
  })

  it.each<[string, object]>([
    ['that was paid too little', { payout: '225' }],
    ['that was paid too much', { payout: '227' }],
    ['that was cashed out after the crash', { multiplier: 3.01, payout: '454' }],
    ['that was cashed out above its target', { multiplier: 1.51, payout: '228' }],
    ['that lost although its target was reached', { outcome: 'lost', multiplier: 0, payout: '0' }],
    ['of a round whose seed was replaced', { seed: 'ab'.repeat(32) }],
    ['of a round whose crash was replaced', { crash: 3.01 }],
  ])('%s does not verify', (_what, change) => {
    expect(holds({ ...disclosed(300, 150), ...change })).toBe(false)
  })

  it('is checked against what was seen of its round', () => {
    const seen = { seedHash: commitmentOf('ab'.repeat(32)) }
    const claims = ['its seed hash is the one you saw before bets closed']
    expect(failed(disclosed(300, 150), seen)).toEqual(claims)
  })
})
