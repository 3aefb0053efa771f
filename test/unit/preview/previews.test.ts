import { describe, expect, it } from 'vitest'
import type { DisclosedBet } from '../../../src/crash/disclosure.ts'
import type { RoundResult } from '../../../src/crash/result.ts'
import { previewOfBet, previewOfRound } from '../../../src/preview/previews.ts'

const ROUND = {
  kind: 'settled',
  roundId: 1234,
  crash: 352,
  betCount: 12,
} as RoundResult

const BET = {
  roundId: 1234,
  token: 'ETH',
  amountWei: '10000000000000000',
  crash: 3.52,
  outcome: 'won',
  multiplier: 2,
  payout: '20000000000000000',
} as DisclosedBet

describe('a preview', () => {
  it('says where a round crashed', () => {
    expect(previewOfRound(ROUND).title).toBe('Round 1,234 crashed at 3.52x')
    expect(previewOfRound({ ...ROUND, betCount: 1 }).card.lines).toEqual(['1 bet'])
  })

  it('says that a void round refunded its bets', () => {
    const voided = { ...ROUND, kind: 'voided', reason: 'late' } as RoundResult
    expect(previewOfRound(voided).title).toBe('Round 1,234 was void')
  })

  it('says what a bet won, lost or got back', () => {
    expect(previewOfBet(BET).title).toBe('Won 0.02 ETH at 2.00x in round 1,234')
    expect(previewOfBet(BET).card).toMatchObject({ result: '2.00x', tone: 'good' })
    const lost = { ...BET, outcome: 'lost', multiplier: 0, payout: '0' } as DisclosedBet
    expect(previewOfBet(lost).title).toBe('Lost 0.01 ETH: round 1,234 crashed at 3.52x')
    const voided = { ...BET, outcome: 'voided', multiplier: 1 } as DisclosedBet
    expect(previewOfBet(voided).title).toBe('0.01 ETH refunded in round 1,234')
  })
})
