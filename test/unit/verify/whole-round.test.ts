import { createHash, createHmac } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { betLeaf, betsRootOf } from '../../../src/crash/bets-root.ts'
import { discloseWhole, type WholeRound } from '../../../src/crash/disclosure.ts'
import { Round } from '../../../src/crash/round.ts'
import { macOf } from '../../../src/fairness/seed.ts'
import { TOKENS } from '../../../src/money/token.ts'
import { ownCashoutOf, verifyBets, verifyEnd } from '../../../src/verify/whole-round.ts'
import {
  betOf,
  OPENED_AT,
  placement,
  recordOf,
  PEPPER,
  ROUND_ID,
  SEED,
  SIGNATURE,
  TAKEOFF_AT,
  VOID_AT,
} from '../support/builders.ts'
import { forAll } from '../support/for-all.ts'

/** Far above the crash point of every round here. */
const LATER = OPENED_AT + 600_000

/** Some players' orders, and how many milliseconds after take-off they cash out. */
const anyOrders = fc.array(
  fc.record({
    token: fc.constantFrom(...TOKENS),
    // Some are out of bounds, or beyond the room that is left.
    amountWei: fc.bigInt({ min: 0n, max: 1_100n }),
    autoCashout: fc.option(fc.integer({ min: 101, max: 400 })),
    cashedOutAfterMs: fc.option(fc.integer({ min: 1, max: 20_000 })),
  }),
  { maxLength: 24 },
)

type Orders = typeof anyOrders extends fc.Arbitrary<infer T> ? T : never

/** Limits so low that they force cash-outs, and refuse stakes. */
const LOW = { min: '10', maxPayout: '1500', maxRoundPayout: '9000' }

/** A disclosed round with those of these orders that it accepts. */
function disclosed(orders: Orders): WholeRound {
  const round = new Round(recordOf('committed', 300, LOW), [])
  const placed = orders.map((order, index) => ({ ...order, wallet: `player ${index}` }))
  for (const { cashedOutAfterMs: _, ...order } of placed) round.place(placement(order), OPENED_AT)
  const inTime = placed.filter(({ cashedOutAfterMs }) => cashedOutAfterMs !== null)
  for (const { wallet, cashedOutAfterMs } of inTime.toSorted(
    (a, b) => (a.cashedOutAfterMs ?? 0) - (b.cashedOutAfterMs ?? 0),
  )) {
    const now = TAKEOFF_AT + (cashedOutAfterMs ?? 0)
    round.advance(now)
    round.cashOut(wallet, now)
  }
  round.advance(LATER)
  return whole(round)
}

function whole(round: Round): WholeRound {
  const result = round.result()
  if (!result) throw new Error('the round has not ended')
  const { betsRoot } = round.fixedBets
  return discloseWhole(result, { plan: round.record.plan, betsRoot }, round.bets, 0)
}

/** A disclosed round of a house that accepts every bet. */
function ofGreedyHouse(amountsWei: bigint[]): WholeRound {
  const bets = amountsWei.map((amountWei, n) => betOf({ wallet: `player ${n}`, amountWei }))
  const round = new Round(recordOf('committed', 300, LOW), bets)
  round.advance(LATER)
  return whole(round)
}

/** A round that got its beacon a millisecond before its deadline. */
function lastMoment(): Round {
  const round = new Round(recordOf('drand-quicknet', 300), [])
  expect(round.takePepper(PEPPER, SIGNATURE, VOID_AT)).toBe(false)
  expect(round.takePepper(PEPPER, SIGNATURE, VOID_AT - 1)).toBe(true)
  round.advance(LATER)
  return round
}

const failed = (round: WholeRound) =>
  verifyBets(round).flatMap(({ claim, holds }) => (holds ? [] : [claim]))

/** A round with an automatic, a manual, a forced and no cash-out. */
const ROUND = disclosed([
  { token: 'ETH', amountWei: 100n, autoCashout: 200, cashedOutAfterMs: null },
  { token: 'ETH', amountWei: 100n, autoCashout: null, cashedOutAfterMs: 3_000 },
  { token: 'ETH', amountWei: 1_000n, autoCashout: null, cashedOutAfterMs: null },
  { token: 'ETH', amountWei: 100n, autoCashout: null, cashedOutAfterMs: null },
])

const FIXED = expect.stringContaining('are the ones fixed at the close')
const PLAN = 'its plan is the one of its disclosure'
const OUTCOMES = expect.stringContaining('each bet ended as')

/** The round with one of its bets changed. */
function changed(n: number, change: Partial<WholeRound['bets'][number]>): WholeRound {
  const bets = ROUND.bets.map((bet) => (bet.n === n ? { ...bet, ...change } : bet))
  return { ...ROUND, bets }
}

describe('a cash-out in a disclosure', () => {
  it('is its player’s own unless the auto-cash-out, a limit or nothing explains it', () => {
    const own = ROUND.bets.map(({ wallet }) => ownCashoutOf(wallet, ROUND))
    expect(own).toEqual([null, ROUND.bets[1]?.multiplier, null, null])
  })

  it('is its player’s own if it is earlier than a limit would force it', () => {
    const cashedOutAt = TAKEOFF_AT + 1_000
    const earlier = changed(2, { multiplier: 1.06, cashedOutAt })
    expect(ownCashoutOf('player 2', earlier)).toBe(1.06)
  })

  it('is attributed to nobody if the wallet has no bet in the round', () => {
    expect(ownCashoutOf('player 9', ROUND)).toBeNull()
  })
})

describe('the end of a whole round', () => {
  it('does not pass as voided if it has a crash point but no pepper', () => {
    const failing = verifyEnd({ ...ROUND, pepper: null }).filter(({ holds }) => !holds)
    expect(failing).toContainEqual({
      claim: expect.stringContaining('the pepper matches its hash'),
      holds: false,
    })
  })
})

describe('the bets of a whole round', () => {
  it('verify, whatever was bet and cashed out', () => {
    forAll(anyOrders, (orders) => {
      expect(failed(disclosed(orders))).toEqual([])
    })
  })

  it('ended in four ways in the round of these tests', () => {
    expect(ROUND.bets.map(({ outcome, multiplier }) => [outcome, multiplier])).toEqual([
      ['won', 2],
      ['won', expect.any(Number)],
      ['won', 1.5],
      ['lost', 0],
    ])
  })

  it.each([
    ['after its deadline for the pepper', VOID_AT],
    ['before it was planned to take off', TAKEOFF_AT - 1],
  ])('do not verify if it took off %s', (_what, takeoffAt) => {
    const record = recordOf('committed', 300)
    const late = new Round({ ...record, pepperAt: takeoffAt }, [])
    late.advance(LATER)
    const round = { ...whole(late), takeoffAt }
    expect(failed(round)).toEqual([expect.stringContaining('before its deadline for the pepper')])
    const { takeoffAt: lastAt } = whole(lastMoment())
    expect([lastAt, failed(whole(lastMoment()))]).toEqual([VOID_AT - 1, []])
  })

  it('do not verify if the plan waits for the pepper for longer than a minute', () => {
    const record = recordOf('drand-quicknet', 300)
    const patient = { ...record, plan: { ...record.plan, voidAt: VOID_AT + 1 } }
    const round = new Round(patient, [])
    expect(round.takePepper(PEPPER, SIGNATURE, VOID_AT)).toBe(true)
    round.advance(LATER)
    expect(failed(whole(round))).toEqual([
      expect.stringContaining('was planned 60 seconds after its close'),
    ])
  })

  it('of a voided round verify with their refunds', () => {
    const round = new Round(recordOf('drand-quicknet', 200), [])
    round.place(placement(), OPENED_AT)
    round.advance(VOID_AT)
    expect(failed(whole(round))).toEqual([])
  })

  it('of a round without any are checked even if its seed is nonsense, which its end shows', () => {
    const round = new Round(recordOf('drand-quicknet', 200), [])
    round.advance(VOID_AT)
    const lying = { ...whole(round), seed: 'nonsense' }
    expect(failed(lying)).toEqual([])
    expect(verifyEnd(lying)).toContainEqual({
      claim: expect.stringContaining('the seed matches its seed hash'),
      holds: false,
    })
  })

  it('have the documented root', () => {
    const betId = 'bet of alice'
    const salt = createHmac('sha256', Buffer.from(SEED, 'hex'))
      .update(`bet:${betId}`)
      .digest('hex')
      .slice(0, 32)
    const leaf = `{"amountWei":"100","autoCashout":1.5,"betId":"${betId}","n":0,"salt":"${salt}","token":"ETH","wallet":"alice"}`
    const round = new Round(recordOf('committed', 200), [])
    round.place(placement({ autoCashout: 150 }), OPENED_AT)
    expect(round.fixedBets.betsRoot).toBe(createHash('sha256').update(`\0${leaf}`).digest('hex'))
  })

  it.each([
    ['a stake', changed(0, { amountWei: '101' })],
    ['an auto-cash-out', changed(3, { autoCashout: 2.5 })],
    ['a player', changed(0, { wallet: 'somebody else' })],
    ['a salt', changed(0, { salt: '00'.repeat(16) })],
    ['a missing bet', { ...ROUND, bets: ROUND.bets.slice(1), betCount: 3 }],
    [
      'a phantom bet',
      { ...ROUND, bets: [...ROUND.bets, { ...ROUND.bets[0]!, n: 4 }], betCount: 5 },
    ],
    ['another order', { ...ROUND, bets: ROUND.bets.toReversed() }],
  ])('do not verify with %s that was changed after the close', (_name, round) => {
    expect(failed(round)).toContainEqual(FIXED)
  })

  it.each([
    ['a shortened payout', changed(0, { payout: '199' })],
    [
      'a win that became a loss',
      changed(0, { outcome: 'lost', multiplier: 0, payout: '0', cashedOutAt: null }),
    ],
    [
      'a loss that became a win',
      changed(3, { outcome: 'won', multiplier: 3, payout: '300', cashedOutAt: ROUND.endedAt }),
    ],
    ['a cash-out forced too late', changed(2, { multiplier: 2, payout: '2000' })],
    [
      'a cash-out at another multiplier than its time says',
      changed(1, { multiplier: 1.01, payout: '101' }),
    ],
  ] as const)('do not verify with %s', (_name, round) => {
    expect(failed(round)).toEqual([OUTCOMES])
  })

  it.each([
    ['id', { betId: ROUND.bets[0]!.betId }],
    ['wallet', { wallet: ROUND.bets[0]!.wallet.toUpperCase() }],
  ])('do not verify if two have the same %s, even if they were fixed so', (what, change) => {
    const twin = { ...ROUND.bets[2]!, ...change }
    const placed = { ...twin, amountWei: BigInt(twin.amountWei), autoCashout: null }
    const bets = ROUND.bets.with(2, { ...twin, salt: betLeaf(placed, 2, macOf(SEED)).salt })
    const round = { ...ROUND, bets, betsRoot: betsRootOf(bets) }
    expect(failed(round)).toEqual([expect.stringContaining(`two bets have the same ${what}`)])
  })

  it.each([
    ['below the smallest one', [100n, 9n], 1],
    ['above the largest one', [100n, 1_001n], 1],
    // At 1.01, 9000 leaves room for 8910, of which one wallet may take a quarter.
    ['beyond the room that earlier ones leave', Array<bigint>(6).fill(1_000n), 5],
  ])('do not verify with a stake %s, which lowers the limits’ cash-outs', (_what, amounts, n) => {
    const claim = expect.stringContaining(`the plan does not allow the stake of bet ${n}`)
    expect(failed(ofGreedyHouse(amounts))).toEqual([claim])
    expect(failed(ofGreedyHouse(amounts.slice(0, n)))).toEqual([])
  })

  it('do not verify without the plan that had the limits', () => {
    expect(failed({ ...ROUND, plan: null })).toEqual([PLAN, OUTCOMES])
  })

  it.each([
    ['edge', { edgeBps: 6_000 }],
    ['seed hash', { seedHash: '0f'.repeat(32) }],
    ['number', { roundId: ROUND_ID + 1 }],
    ['opening', { openedAt: OPENED_AT - 1 }],
    ['close', { betsCloseAt: OPENED_AT + 1 }],
    ['source of the pepper', { pepperSource: { kind: 'drand-quicknet', round: 7 } }],
  ] as const)('do not verify under a plan with another %s than the round', (_what, change) => {
    const plan = { ...ROUND.plan!, ...change }
    expect(failed({ ...ROUND, plan })).toContain(PLAN)
  })

  it('are listed a thousand a page', () => {
    const round = new Round(recordOf('committed', 200, { maxRoundPayout: '1000000000' }), [])
    for (let n = 0; n < 1_500; n++) {
      round.place(placement({ wallet: `player ${n}`, amountWei: 1n }), OPENED_AT)
    }
    round.advance(LATER)
    const result = round.result()!
    const shown = { plan: round.record.plan, betsRoot: round.fixedBets.betsRoot }
    const first = discloseWhole(result, shown, round.bets, 0)
    const second = discloseWhole(result, shown, round.bets, first.next ?? 0)
    expect([first.bets.length, first.next, second.bets.length, second.next]).toEqual([
      1_000,
      1_000,
      500,
      null,
    ])
    const all = { ...first, bets: [...first.bets, ...second.bets] }
    expect(failed(all)).toEqual([])
    expect(first.roundId).toBe(ROUND_ID)
  })
})
