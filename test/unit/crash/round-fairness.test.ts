import { describe, expect, it } from 'vitest'
import { flightMs } from '../../../src/crash/curve.ts'
import { Round } from '../../../src/crash/round.ts'
import { beaconPublishedAt } from '../../../src/fairness/drand.ts'
import { commitmentOf } from '../../../src/fairness/seed.ts'
import {
  BETS_CLOSE_AT,
  codeOf,
  OPENED_AT,
  PEPPER,
  placement,
  planOf,
  recordOf,
  ROUND_ID,
  roundOf,
  SEED,
  SIGNATURE,
  TAKEOFF_AT,
  VOID_AT,
} from '../support/builders.ts'

const { flightAt } = planOf('drand-quicknet')
const BEACON_ROUND = 1_000_005

/** A round waiting for a beacon, with a bet by Alice; it will crash at 3.00. */
function waitingRound(): Round {
  const round = new Round(recordOf('drand-quicknet', 300), [])
  round.place(placement(), OPENED_AT)
  return round
}

describe('the pepper of a round', () => {
  it('is due from its beacon’s publication until it arrives', () => {
    const round = waitingRound()
    const publishedAt = beaconPublishedAt(BEACON_ROUND)
    expect(round.beaconDue(publishedAt - 1)).toBeNull()
    expect(round.beaconDue(publishedAt)).toBe(BEACON_ROUND)
    round.takePepper(PEPPER, SIGNATURE, publishedAt + 300)
    expect(round.beaconDue(publishedAt + 301)).toBeNull()
  })

  it('lets the round take off on schedule if it arrives in time', () => {
    const round = waitingRound()
    expect(round.takePepper(PEPPER, SIGNATURE, flightAt - 700)).toBe(true)
    expect(round.view(flightAt - 1)).toMatchObject({ stage: 'locked', takeoffAt: flightAt })
    expect(round.view(flightAt)).toMatchObject({ stage: 'flight', multiplier: 100 })
  })

  it('delays take-off and every cash-out if it arrives late', () => {
    const round = waitingRound()
    const late = flightAt + 2_500
    expect(codeOf(round.cashOut('alice', late - 1))).toBe('not_in_flight')
    round.takePepper(PEPPER, SIGNATURE, late)
    expect(round.view(late).takeoffAt).toBe(late)
    round.advance(late)
    expect(round.cashOut('alice', late)).toMatchObject({ fresh: true, bet: { cashout: 100 } })
    round.advance(late + flightMs(300))
    expect(round.record).toMatchObject({ status: 'crashed', endedAt: late + flightMs(300) })
  })

  it('is accepted once: a later one changes nothing', () => {
    const round = waitingRound()
    round.takePepper(PEPPER, SIGNATURE, flightAt)
    const { record } = new Round(round.record, [])
    expect(round.takePepper('d4'.repeat(32), SIGNATURE, flightAt + 1)).toBe(false)
    expect(round.record).toEqual(record)
  })

  it('is not accepted before bets close, when it could still guide them', () => {
    const round = waitingRound()
    expect(round.takePepper(PEPPER, SIGNATURE, BETS_CLOSE_AT - 1)).toBe(false)
    expect(round.record.pepper).toBeNull()
    expect(round.takePepper(PEPPER, SIGNATURE, BETS_CLOSE_AT)).toBe(true)
  })

  it('is not accepted at its deadline, even if nobody has voided the round yet', () => {
    const round = waitingRound()
    expect(round.takePepper(PEPPER, SIGNATURE, VOID_AT)).toBe(false)
    round.advance(VOID_AT)
    expect(round.outcome('bet of alice')).toEqual({ kind: 'voided' })
  })

  it('cannot be replaced if the house committed to it', () => {
    const round = roundOf(300)
    expect(round.takePepper('d4'.repeat(32), SIGNATURE, OPENED_AT)).toBe(false)
    expect(round.record.pepper).toBe(PEPPER)
    expect(round.beaconDue(TAKEOFF_AT)).toBeNull()
  })
})

describe('a round whose pepper never arrives', () => {
  it('is voided one minute after bets close, and no earlier', () => {
    const round = waitingRound()
    expect(round.advance(VOID_AT - 1)).toEqual({ closed: true, cashedOut: [], ended: false })
    expect(round.outcome('bet of alice')).toEqual({ kind: 'live' })
    expect(round.advance(VOID_AT)).toEqual({ closed: false, cashedOut: [], ended: true })
    expect(round.view(VOID_AT)).toMatchObject({ stage: 'void', result: { kind: 'voided' } })
  })

  it('refunds every stake, with or without an auto-cash-out', () => {
    const round = waitingRound()
    round.place(placement({ wallet: 'bob', autoCashout: 101 }), OPENED_AT)
    round.advance(VOID_AT)
    expect(round.outcome('bet of alice')).toEqual({ kind: 'voided' })
    expect(round.outcome('bet of bob')).toEqual({ kind: 'voided' })
    expect(codeOf(round.cashOut('alice', VOID_AT))).toBe('no_open_bet')
    expect(round.view(VOID_AT).wins).toEqual([])
  })

  it('stays void if the pepper arrives later', () => {
    const round = waitingRound()
    round.advance(VOID_AT)
    expect(round.takePepper(PEPPER, SIGNATURE, VOID_AT + 1)).toBe(false)
    expect(round.advance(VOID_AT + 100_000)).toEqual({ closed: false, cashedOut: [], ended: false })
    expect(round.outcome('bet of alice')).toEqual({ kind: 'voided' })
  })

  it('discloses its seed and beacon, so anyone can compute the crash it would have had', () => {
    const round = waitingRound()
    round.advance(VOID_AT)
    expect(round.result()).toMatchObject({
      kind: 'voided',
      roundId: ROUND_ID,
      seed: SEED,
      seedHash: commitmentOf(SEED),
      pepperSource: { kind: 'drand-quicknet', round: BEACON_ROUND },
      betCount: 1,
    })
  })
})

describe('the public state of a round', () => {
  it('contains no seed, pepper or crash point before the end is recorded', () => {
    const crashAt = TAKEOFF_AT + flightMs(300)
    const asked = [OPENED_AT, BETS_CLOSE_AT - 1, TAKEOFF_AT, TAKEOFF_AT + 5_000, crashAt - 1]
    const round = roundOf(300, [{ autoCashout: 110 }, { wallet: 'bob' }])
    const elsewhere = roundOf(100_000, [{ autoCashout: 110 }, { wallet: 'bob' }])
    for (const now of asked) {
      round.advance(now)
      elsewhere.advance(now)
      const view = round.view(now)
      expect(view.result).toBeNull()
      expect(JSON.stringify(view)).not.toContain(SEED)
      expect(JSON.stringify(view)).not.toContain(PEPPER)
      // A round with a much later crash shows exactly the same; here the two differ only in their edge.
      expect({ ...view, plan: null }).toEqual({ ...elsewhere.view(now), plan: null })
    }
  })

  it('contains everything needed to verify it as soon as it has crashed', () => {
    const round = roundOf(300, [{}])
    const crashAt = TAKEOFF_AT + flightMs(300)
    round.advance(crashAt)
    expect(round.view(crashAt)).toMatchObject({
      stage: 'results',
      result: {
        kind: 'settled',
        seed: SEED,
        pepper: PEPPER,
        signature: null,
        crash: 300,
        betCount: 1,
        openedAt: OPENED_AT,
        takeoffAt: TAKEOFF_AT,
        endedAt: crashAt,
        resultsUntil: crashAt + 4_000,
      },
    })
  })

  it('contains the beacon’s signature', () => {
    const round = waitingRound()
    round.takePepper(PEPPER, SIGNATURE, flightAt)
    round.advance(flightAt + flightMs(300))
    expect(round.result()).toMatchObject({ kind: 'settled', pepper: PEPPER, signature: SIGNATURE })
  })
})

describe('a round that is loaded again', () => {
  it('goes on at its newest bet, pepper or end, and a millisecond after its newest cash-out', () => {
    const round = waitingRound()
    expect(round.resumesAt).toBe(OPENED_AT)
    round.place(placement({ wallet: 'bob', autoCashout: 200 }), OPENED_AT + 5)
    expect(round.resumesAt).toBe(OPENED_AT + 5)
    round.takePepper(PEPPER, SIGNATURE, flightAt)
    expect(round.resumesAt).toBe(flightAt)
    round.advance(flightAt + 11_553)
    expect(round.resumesAt).toBe(flightAt + 11_554)
    round.advance(flightAt + 100_000)
    expect(round.resumesAt).toBe(flightAt + flightMs(300))
  })
})
