import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { flightMs, msToReach } from '../../../src/crash/curve.ts'
import { Round } from '../../../src/crash/round.ts'
import { SHOWN_BETS } from '../../../src/crash/table-bets.ts'
import { TOKENS } from '../../../src/money/token.ts'
import {
  BETS_CLOSE_AT,
  OPENED_AT,
  placement,
  recordOf,
  roundOf,
  TAKEOFF_AT,
  VOID_AT,
} from '../support/builders.ts'

const CRASH_AT = TAKEOFF_AT + flightMs(300)

/** What everyone sees of a round's bets at a time. */
function seen(round: Round, now: number, wallet: string | null = null) {
  round.advance(now)
  return round.tableBets(wallet)
}

describe('the bets at the table', () => {
  it('are live until they are cashed out, lost or refunded', () => {
    const round = roundOf(300, [
      { wallet: 'alice', autoCashout: 150 },
      { wallet: 'bob', amountWei: 50n },
    ])
    const [alice, bob] = [
      { wallet: 'alice', token: 'ETH', amountWei: '100' },
      { wallet: 'bob', token: 'ETH', amountWei: '50' },
    ]
    const live = { multiplier: null, payout: null }
    const won = { multiplier: 1.5, payout: '150' }
    expect(seen(round, TAKEOFF_AT + 1_000).bets).toEqual([
      { ...alice, ...live },
      { ...bob, ...live },
    ])
    expect(seen(round, CRASH_AT - 1).bets).toEqual([
      { ...alice, ...won },
      { ...bob, ...live },
    ])
    expect(seen(round, CRASH_AT).bets).toEqual([
      { ...alice, ...won },
      { ...bob, multiplier: 0, payout: '0' },
    ])
  })

  it('may be those of one wallet alone', () => {
    const round = roundOf(300, [{ wallet: 'alice' }, { wallet: 'bob', amountWei: 50n }])
    const [whole, own] = [round.tableBets('bob'), round.tableBets('bob', true)]
    expect(own).toEqual({ ...whole, bets: whole.bets.filter(({ wallet }) => wallet === 'bob') })
    expect(round.tableBets('carol', true).bets).toEqual([])
  })

  it('are refunded with a voided round', () => {
    const round = new Round(recordOf('drand-quicknet', 300), [])
    round.place(placement(), OPENED_AT)
    expect(seen(round, VOID_AT).bets).toMatchObject([{ multiplier: 1, payout: '100' }])
  })

  it('are fixed by their root from the close on', () => {
    const round = roundOf(300, [{}])
    expect(seen(round, BETS_CLOSE_AT - 1).betsRoot).toBeNull()
    expect(seen(round, BETS_CLOSE_AT).betsRoot).toBe(round.fixedBets.betsRoot)
  })

  it('never show a target before it is reached', () => {
    const round = roundOf(300, [{ autoCashout: 277 }])
    for (const now of [OPENED_AT, BETS_CLOSE_AT, TAKEOFF_AT, TAKEOFF_AT + msToReach(277) - 1])
      expect(JSON.stringify(seen(round, now))).not.toContain('2.77')
  })

  it('are the two hundred largest, and the caller’s own', () => {
    const round = roundOf(300)
    for (let player = 0; player < SHOWN_BETS + 2; player++) {
      const amountWei = BigInt(player + 1)
      round.place(placement({ wallet: `p${player}`, amountWei }), OPENED_AT)
    }
    const wallets = (asker: string | null) =>
      seen(round, OPENED_AT, asker).bets.map(({ wallet }) => wallet)
    const largest = Array.from({ length: SHOWN_BETS }, (_, index) => `p${SHOWN_BETS + 1 - index}`)
    expect(wallets(null)).toEqual(largest)
    expect(wallets('p1')).toEqual([...largest, 'p1'])
    expect(wallets('p2')).toEqual(largest)
    expect(wallets('nobody')).toEqual(largest)
    expect(seen(round, OPENED_AT).totals.ETH.count).toBe(SHOWN_BETS + 2)
  })

  it('add up to their totals, in an order that falls from the largest, also after a restart', () => {
    const bets = fc.array(fc.tuple(fc.constantFrom(...TOKENS), fc.integer({ min: 1, max: 9 })))
    fc.assert(
      fc.property(bets, (orders) => {
        const round = roundOf(300)
        for (const [player, [token, amount]] of orders.entries()) {
          const wallet = `p${player}`
          round.place(placement({ wallet, token, amountWei: BigInt(amount) }), OPENED_AT)
        }
        const { bets: shown, totals } = seen(round, OPENED_AT)
        const amounts = shown.map(({ amountWei }) => Number(amountWei))
        expect(amounts).toEqual(amounts.toSorted((a, b) => b - a))
        for (const token of TOKENS) {
          const own = shown.filter((bet) => bet.token === token)
          const sum = own.reduce((total, { amountWei }) => total + BigInt(amountWei), 0n)
          expect(totals[token]).toEqual({ count: own.length, amountWei: sum.toString() })
        }
        expect(new Round(round.record, round.bets).tableBets(null)).toEqual({
          ...seen(round, OPENED_AT),
        })
      }),
    )
  })
})
