import { describe, expect, it } from 'vitest'
import type { DisclosedBet } from '../../../src/crash/disclosure.ts'
import type { RoundResult } from '../../../src/crash/result.ts'
import type { FeedPlay } from '../../../src/games/play-request.ts'
import { previewOfBet, previewOfPlay, previewOfRound } from '../../../src/preview/previews.ts'

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

  it('calls it a win only if a bet paid more than its stake', () => {
    const even = { ...BET, multiplier: 1, payout: BET.amountWei } as DisclosedBet
    const { title, card } = previewOfBet(even)
    expect(title).toBe('Returned 0.01 ETH at 1.00x in round 1,234')
    expect(card).toMatchObject({ tone: 'plain', lines: ['Returned 0.01 ETH', 'Crashed at 3.52x'] })
  })

  it.each([
    ['returned 0.2', '200000', 0.2],
    ['returned 1', '1000000', 1],
    ['won 1.1', '1100000', 1.1],
  ])('says that a play %s', (end, payout, multiplier) => {
    const meta = { path: 'LLLLLLLL', rows: 8, bucket: 0, risk: 'low' }
    const play = { game: 'plinko', meta, nonce: 3, token: 'USDG', amount: '1000000' }
    const { title } = previewOfPlay({ ...play, payout, multiplier } as FeedPlay)
    expect(title).toBe(`Plinko: ${end} USDG at ${multiplier.toFixed(2)}x`)
  })
})
