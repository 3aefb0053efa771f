import { describe, expect, it } from 'vitest'
import { activitiesCsv, activityOf, type Activity } from '../../../src/activity/activity.ts'
import { refuse } from '../../../src/core/refusal.ts'
import { settlementPostings } from '../../../src/crash/hold.ts'
import type { Posting } from '../../../src/ledger/accounts.ts'

const STAKE = { token: 'USDG', amountWei: 150n } as const

const entry = (
  operationId: string,
  fields: { request?: string; postings?: Posting[]; result?: unknown },
) => ({
  seq: 7,
  at: 1_000,
  operationId,
  request: '',
  postings: [],
  ...fields,
  result: JSON.stringify(fields.result ?? null),
})

const moves = (from: Posting['from'], to: Posting['to'], amountWei: string): Posting => ({
  token: 'USDG',
  from,
  to,
  amountWei,
})

describe('the activity of a journal entry', () => {
  it.each([
    [
      { kind: 'won', multiplier: 200, payoutWei: '300' } as const,
      { outcome: 'won', multiplier: 2, payout: '300' },
    ],
    [{ kind: 'lost' } as const, { outcome: 'lost', multiplier: 0, payout: '0' }],
    [{ kind: 'voided' } as const, { outcome: 'voided', multiplier: 1, payout: '150' }],
  ])('of an ended bet is %o', (result, shown) => {
    const postings = settlementPostings(STAKE, result)
    expect(activityOf(entry('settle:42:0', { postings, result }))).toEqual({
      seq: 7,
      at: 1_000,
      kind: 'crash',
      token: 'USDG',
      amountWei: '150',
      roundId: 42,
      ...shown,
    })
  })

  it('of a play has its stake and payout', () => {
    const request = JSON.stringify(['limbo', [['target', 200]], 'ETH', '100', 'mine'])
    expect(activityOf(entry('entropy:3', { request, result: [100, 1, '200'] }))).toEqual({
      seq: 7,
      at: 1_000,
      kind: 'limbo',
      token: 'ETH',
      amountWei: '100',
      payout: '200',
      nonce: 3,
    })
  })

  it('of a deposit has the chips after the fee, and its transaction', () => {
    const postings = [moves('vault', 'chips', '99'), moves('vault', 'fees', '1')]
    expect(activityOf(entry('deposited:1:0xab:4', { postings, result: 'credited' }))).toMatchObject(
      {
        kind: 'deposit',
        amountWei: '99',
        payout: null,
        txHash: '0xab',
      },
    )
  })

  it('of a deposit or withdrawal counts the part in quarantine', () => {
    const deposited = [moves('vault', 'chips', '50'), moves('vault', 'quarantine', '20')]
    expect(
      activityOf(entry('deposited:1:0xab:0', { postings: deposited, result: 'credited' })),
    ).toMatchObject({ kind: 'deposit', amountWei: '70' })
    const withdrawn = [moves('quarantine', 'withdrawing', '20'), moves('chips', 'withdrawing', '5')]
    expect(
      activityOf(entry('withdraw:1:0xvault:9', { postings: withdrawn, result: 'pending' })),
    ).toMatchObject({ kind: 'withdrawal', amountWei: '25' })
  })

  it('of a withdrawal has its nonce', () => {
    const postings = [moves('chips', 'withdrawing', '50')]
    expect(
      activityOf(entry('withdraw:1:0xvault:9', { postings, result: 'pending' })),
    ).toMatchObject({ kind: 'withdrawal', amountWei: '50', nonce: 9 })
  })

  it.each(['withdrawal:1:0xvault:9:3', 'resolve:1:0xvault:9:0xact'])(
    'of a withdrawal that was not paid is negative: %s',
    (id) => {
      const postings = [
        moves('withdrawing', 'quarantine', '20'),
        moves('withdrawing', 'chips', '5'),
      ]
      expect(activityOf(entry(id, { postings, result: 'failed' }))).toMatchObject({
        kind: 'withdrawal',
        amountWei: '-25',
        payout: null,
        nonce: 9,
      })
    },
  )

  it('of a partner is negative for a debit, under the partner’s whole id', () => {
    const result = {
      ok: true,
      version: 1,
      id: 'a:b',
      token: 'USDG',
      beforeWei: '100',
      afterWei: '40',
    }
    expect(activityOf(entry('bridge:demo:a:b', { result }))).toMatchObject({
      kind: 'partner',
      amountWei: '-60',
      partner: 'demo',
      partnerTransactionId: 'a:b',
    })
  })

  it('of a game of mines that only returned its stake is voided', () => {
    const request = JSON.stringify(['mines', [], 'USDG', '5', 'mine'])
    const postings = [
      { token: 'USDG' as const, from: 'in_play' as const, to: 'chips' as const, amountWei: '5' },
    ]
    const returned = entry('entropy:3', { request, postings, result: [100, 1, '5'] })
    expect(activityOf(returned)).toMatchObject({ kind: 'mines', payout: '5', outcome: 'voided' })
  })

  it.each([
    ['a bet that is only held', entry('bet:42:0', {})],
    [
      'a withdrawal that was paid',
      entry('withdrawal:1:0xvault:9:3', { postings: [moves('withdrawing', 'vault', '25')] }),
    ],
    [
      'a bet that was never placed',
      entry('settle:42:0', {
        postings: settlementPostings(STAKE, { kind: 'never_placed' }),
        result: { kind: 'never_placed' },
      }),
    ],
    [
      'a refused transaction',
      entry('bridge:demo:a', { result: refuse('insufficient_chips', 'no') }),
    ],
    [
      'a transaction of zero',
      entry('bridge:demo:a', {
        result: { ok: true, version: 1, id: 'a', token: 'USDG', beforeWei: '100', afterWei: '100' },
      }),
    ],
    ['an operation of no kind that moves a player’s chips', entry('constructor:1', {})],
  ])('is none for %s', (_name, of) => {
    expect(activityOf(of)).toBeNull()
  })
})

describe('the CSV of activities', () => {
  const partner: Activity = {
    seq: 1,
    at: 2,
    kind: 'partner',
    token: 'ETH',
    amountWei: '-5',
    payout: null,
    partner: 'demo',
    partnerTransactionId: '=1,"2"',
  }

  it('has a header and a row for each', () => {
    expect(activitiesCsv([]).split('\r\n')).toEqual([
      'seq,at,kind,token,amountWei,payout,roundId,outcome,multiplier,nonce,txHash,partner,partnerTransactionId',
      '',
    ])
  })

  it('quotes what a partner has chosen, and lets it be no formula', () => {
    expect(activitiesCsv([partner]).split('\r\n')[1]).toBe(
      `1,2,partner,ETH,-5,,,,,,,demo,"'=1,""2"""`,
    )
  })
})
