import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../src/core/utc-day.ts'
import {
  judgePayment,
  REASONS,
  type PaymentFacts,
  type PaymentReason,
  type ExpectedPayment,
} from '../../../src/payment/judge.ts'

const NOW = 1_800_000_000_000

const terms: ExpectedPayment = {
  chainId: 1,
  payer: '0xPAYER',
  recipient: '0xPool',
  valueWei: 100n,
  confirmations: 3,
  maxAgeMs: DAY_MS,
}

const facts: PaymentFacts = {
  chainId: 1,
  from: '0xpayer',
  to: '0xpool',
  valueWei: 100n,
  input: '0x',
  isInBlock: true,
  mined: { isSuccess: true, blockHash: '0xb', blockNumber: 10, paidAt: NOW - 1_000 },
  head: 12,
}

const mined = { ...facts.mined, isSuccess: true, blockHash: '0xb', blockNumber: 10, paidAt: NOW }

describe('a payment', () => {
  it('that matches is accepted in any letter case of its addresses', () => {
    expect(judgePayment(facts, terms, NOW)).toEqual({
      kind: 'good',
      blockHash: '0xb',
      blockNumber: 10,
      paidAt: NOW - 1_000,
    })
  })

  it.each<[PaymentReason, Partial<PaymentFacts>]>([
    ['wrong_chain', { chainId: 2 }],
    ['wrong_recipient', { to: '0xother' }],
    ['wrong_recipient', { to: null }],
    ['wrong_sender', { from: '0xother' }],
    ['not_a_plain_transfer', { input: '0x00' }],
    ['underpaid', { valueWei: 99n }],
    ['underpaid', { valueWei: 0n }],
    ['overpaid', { valueWei: 101n }],
    ['failed', { mined: { ...mined, isSuccess: false } }],
    ['too_old', { mined: { ...mined, paidAt: NOW - DAY_MS - 1 } }],
  ])('is refused: %s %o', (reason, other) => {
    expect(judgePayment({ ...facts, ...other }, terms, NOW)).toEqual({ kind: 'mismatch', reason })
    expect(REASONS[reason]).not.toBe('')
  })

  it('is refused before it is mined if it can never be valid', () => {
    const waiting = { ...facts, mined: null, valueWei: 99n }
    expect(judgePayment(waiting, terms, NOW)).toEqual({ kind: 'mismatch', reason: 'underpaid' })
  })

  it.each([
    [null, 12, 0],
    [mined, 9, 0],
    [mined, 10, 1],
    [mined, 11, 2],
  ])('waits for its confirmations: %o with the head at %s has %s', (where, head, confirmations) => {
    expect(judgePayment({ ...facts, mined: where, head }, terms, NOW)).toEqual({
      kind: 'pending',
      confirmations,
      required: 3,
    })
  })

  it('may be at most a day old, unless it was reported before', () => {
    const old = { ...facts, mined: { ...mined, paidAt: NOW - DAY_MS } }
    expect(judgePayment(old, terms, NOW).kind).toBe('good')
    const older = { ...facts, mined: { ...mined, paidAt: 0 } }
    expect(judgePayment(older, { ...terms, maxAgeMs: null }, NOW).kind).toBe('good')
  })
})
