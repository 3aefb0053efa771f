import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { settlementPostings, stakePostings } from '../../../src/crash/hold.ts'
import type { Posting } from '../../../src/ledger/accounts.ts'
import { movementPostings, writeOffPostings } from '../../../src/ledger/deposit.ts'
import {
  addToTotals,
  differenceOfTotals,
  emptyTotals,
  TOTALS,
  type Totals,
} from '../../../src/ledger/totals.ts'
import { rollbackText, transactionText, transferPostings } from '../../../src/ledger/transfer.ts'
import { differencePostings, statusPostings } from '../../../src/ledger/withdrawal.ts'
import { posting } from '../support/builders.ts'
import { forAll } from '../support/for-all.ts'

type Step = [operationId: string, postings: Posting[], request?: string]

/** The totals of ETH after some operations. */
function totalsAfter(...steps: Step[]): Totals['ETH'] {
  return steps.reduce<Totals>(
    (totals, [operationId, postings, request = '']) =>
      addToTotals(totals, { operationId, request, postings }),
    emptyTotals(),
  ).ETH
}

const NONE = emptyTotals().ETH
const stake = { token: 'ETH', amountWei: 40n } as const
const held: Step = ['bet:7:0', stakePostings(stake)]
const withdrawal = { token: 'ETH', amountWei: '30' } as const
const deposit = { kind: 'deposited', position: 0, token: 'ETH', amountWei: 1_000n } as const

describe('the totals of a wallet', () => {
  it('count a bet once it has ended, with its payout', () => {
    expect(totalsAfter(held)).toEqual(NONE)
    const won: Step = [
      'settle:7:0',
      settlementPostings(stake, { kind: 'won', multiplier: 150, payoutWei: '60' }),
    ]
    expect(totalsAfter(held, won)).toEqual({ ...NONE, wagered: 40n, returned: 60n, bets: 1n })
    const lost: Step = ['settle:7:0', settlementPostings(stake, { kind: 'lost' })]
    expect(totalsAfter(held, lost)).toEqual({ ...NONE, wagered: 40n, bets: 1n })
  })

  it.each(['voided', 'never_placed'] as const)('do not count a bet that was %s', (kind) => {
    const settled: Step = ['settle:7:0', settlementPostings(stake, { kind })]
    expect(totalsAfter(held, settled)).toEqual(NONE)
  })

  it('count a play with its stake and payout, in its token alone', () => {
    const play: Step = [
      'entropy:0',
      [posting('chips', 'house', 5n), posting('house', 'chips', 8n), usdg('chips', 'house', 3n)],
    ]
    expect(totalsAfter(play)).toEqual({ ...NONE, wagered: 5n, returned: 8n, bets: 1n })
  })

  it('count a deposit with its fee, as the vault shows it', () => {
    const deposited: Step = ['deposited:1:0xab:0', movementPostings(deposit, 100)]
    expect(totalsAfter(deposited)).toEqual({ ...NONE, deposited: 1_000n })
    const faucet: Step = ['faucet:1', [posting('faucet', 'chips', 7n)]]
    expect(totalsAfter(faucet)).toEqual({ ...NONE, deposited: 7n })
  })

  it('count what went into quarantine as deposited, and as withdrawn once it has left', () => {
    const deposited: Step = ['deposited:1:0xab:0', [posting('vault', 'quarantine', 30n)]]
    const faucet: Step = ['faucet:1', [posting('faucet', 'quarantine', 7n)]]
    expect(totalsAfter(deposited, faucet)).toEqual({ ...NONE, deposited: 37n })
    const paid: Step = ['withdrawal:1:0xcd:0:2', [posting('withdrawing', 'vault', 30n)]]
    const reverted: Step = ['withdrawal:1:0xcd:0:3', [posting('vault', 'quarantine', 30n)]]
    expect(totalsAfter(paid)).toEqual({ ...NONE, withdrawn: 30n })
    expect(totalsAfter(paid, reverted)).toEqual(NONE)
  })

  it('count a withdrawal when it is confirmed, and no longer when that is reverted', () => {
    const accepted: Step = ['withdraw:1:0xcd:0', [posting('chips', 'withdrawing', 30n)]]
    const become = (from: 'submitted' | 'confirmed', to: 'submitted' | 'confirmed' | 'failed') =>
      ['withdrawal:1:0xcd:0:2', statusPostings(withdrawal, from, to)] satisfies Step
    const confirmed = become('submitted', 'confirmed')
    expect(totalsAfter(accepted)).toEqual(NONE)
    expect(totalsAfter(accepted, confirmed)).toEqual({ ...NONE, withdrawn: 30n })
    expect(totalsAfter(accepted, become('submitted', 'failed'))).toEqual(NONE)
    expect(totalsAfter(accepted, confirmed, become('confirmed', 'submitted'))).toEqual(NONE)
    expect(totalsAfter(accepted, confirmed, become('confirmed', 'failed'))).toEqual(NONE)
  })

  it("count a withdrawal that an operators' act confirms, without the house's difference", () => {
    const resolved: Step = [
      'resolve:1:0xcd:0:act',
      [
        ...statusPostings(withdrawal, 'submitted', 'confirmed'),
        ...differencePostings(withdrawal, 'confirmed', { token: 'ETH', amountWei: '12' }),
      ],
    ]
    expect(totalsAfter(resolved)).toEqual({ ...NONE, withdrawn: 30n })
  })

  it("count a partner's debits, whether rolled back or not, and none of its other movements", () => {
    const debit = transactionText({ token: 'ETH', amountWei: -7n })
    const credit = transactionText({ token: 'ETH', amountWei: 50n })
    const rollback = rollbackText({ token: 'ETH', originalId: '1' })
    expect(
      totalsAfter(
        ['bridge:demo:1', transferPostings('ETH', -7n), debit],
        ['bridge:demo:2', transferPostings('ETH', 7n), rollback],
        ['bridge:demo:3', transferPostings('ETH', 50n), credit],
        ['bridge:demo:4', transferPostings('ETH', -50n), rollback],
        ['bridge:demo:5', [], debit],
      ),
    ).toEqual({ ...NONE, debited: 7n })
  })

  it("count neither the house's own movements nor what only an id resembles", () => {
    expect(
      totalsAfter(
        ['funded:1:0xab:0', movementPostings({ ...deposit, kind: 'funded' }, 0)],
        ['write-off:act', writeOffPostings(deposit)],
        ['write-back:1:0xab:2', [posting('vault', 'house', 9n)]],
        ['permission:settle', [posting('in_play', 'house', 5n)]],
        ['bet:settle', [posting('chips', 'partner', 5n)]],
      ),
    ).toEqual(NONE)
  })

  it('give the net result of all ended bets as returned less wagered', () => {
    const anyBet = fc.record({
      amountWei: fc.bigInt({ min: 1n, max: 10n ** 24n }),
      payoutWei: fc.bigInt({ min: 0n, max: 10n ** 26n }),
      isVoided: fc.boolean(),
    })
    forAll(fc.array(anyBet), (bets) => {
      const steps = bets.map(({ amountWei, payoutWei, isVoided }): Step => {
        const outcome = isVoided
          ? ({ kind: 'voided' } as const)
          : ({ kind: 'won', multiplier: 100, payoutWei: payoutWei.toString() } as const)
        return ['settle:1:0', settlementPostings({ token: 'ETH', amountWei }, outcome)]
      })
      const { wagered, returned, bets: count } = totalsAfter(...steps)
      const ended = bets.filter(({ isVoided }) => !isVoided)
      const net = ended.reduce((sum, bet) => sum + bet.payoutWei - bet.amountWei, 0n)
      expect([returned - wagered, count]).toEqual([net, BigInt(ended.length)])
    })
  })

  it('differ in a head that has counted one otherwise than its journal', () => {
    const having = (debited: bigint) => ({ ...emptyTotals(), ETH: { ...NONE, debited } })
    expect(differenceOfTotals(having(7n), having(7n))).toBeNull()
    for (const counted of [6n, 8n]) {
      expect(differenceOfTotals(having(counted), having(7n))).toBe('debited of ETH')
    }
  })

  it('never grow by an operation without postings', () => {
    const totals = { ...emptyTotals(), ETH: { ...NONE, [TOTALS[0]]: 5n } }
    expect(addToTotals(totals, { operationId: 'settle:1:0', request: '', postings: [] })).toBe(
      totals,
    )
  })
})

function usdg(from: Posting['from'], to: Posting['to'], amountWei: bigint): Posting {
  return { ...posting(from, to, amountWei), token: 'USDG' }
}
