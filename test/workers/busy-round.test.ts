import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { CommitQueue } from '../../durable-objects/kernel/commit-queue.ts'
import { crashRound } from '../../src/calls/objects.ts'
import type { BetParams } from '../../src/crash/bet.ts'
import { CrashRound, Ledger } from '../../src/worker.ts'
import {
  fundedPlayer,
  openRound,
  outcomeOf,
  passFlight,
  setTime,
  useStories,
  type Answer,
} from './support.ts'

useStories()

const QUEUED = 10_000
const ORDER: BetParams = { token: 'USDG', amountWei: 1n, autoCashout: null }
const BUSY = { ok: false, error: { code: 'rate_limited' } }

/** Makes the round's queue full for its next caller. */
function fillQueue(): void {
  vi.spyOn(CommitQueue.prototype, 'isFull').mockReturnValueOnce(true)
}

/** Makes the platform reject the next call, because too many are waiting. */
function overload(method: 'place' | 'cashOut'): void {
  const fault = Object.assign(new Error('Durable Object is overloaded.'), { overloaded: true })
  vi.spyOn(CrashRound.prototype, method).mockRejectedValueOnce(fault)
}

function expectBusy({ status, headers, body }: Answer): void {
  expect(status).toBe(429)
  expect(headers.get('retry-after')).toBe('1')
  expect(body).toMatchObject(BUSY)
  expect(body.error.message).toContain('in a moment')
}

describe('a round that gets more bets at once than it queues', () => {
  it('refuses the others before it decides the queued ones', async () => {
    const { roundId, betsCloseAt } = await openRound()
    // It decides that they came too late, which stores nothing.
    setTime(betsCloseAt)
    const codes = await runInDurableObject(crashRound(env, roundId), async (round) => {
      const settled: (string | undefined)[] = []
      const bets = Array.from({ length: QUEUED + 2 }, async (_, index) => {
        const bet = { betId: `${roundId}:${index}`, wallet: String(index), ...ORDER }
        settled.push((await round.place(bet))?.error.code)
      })
      await Promise.all(bets)
      return settled
    })
    expect(codes.slice(0, 2)).toEqual(['rate_limited', 'rate_limited'])
    expect(new Set(codes.slice(2))).toEqual(new Set(['betting_closed']))
    expect(codes).toHaveLength(QUEUED + 2)
  })
})

describe.each([
  ['is full', fillQueue],
  ['is rejected by the platform', () => overload('place')],
])('a bet whose round %s', (_what, makeBusy) => {
  it('is refused with a clear answer, and accepted once when it is repeated', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 300, max: 600 })
    makeBusy()
    expectBusy(await alice.bet('100000000'))
    for (let repetition = 0; repetition < 2; repetition++) {
      expect((await alice.bet('100000000')).body).toMatchObject({ ok: true, roundId: plan.roundId })
    }
    expect(await alice.chips()).toBe('900000000')
  })

  it('is refunded once bets have closed, if it is not repeated', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 300, max: 600 })
    makeBusy()
    expectBusy(await alice.bet('100000000'))
    await passFlight(plan)
    expect(await alice.chips()).toBe('1000000000')
  })
})

describe.each([
  ['is full', fillQueue],
  ['is rejected by the platform', () => overload('cashOut')],
])('a cash-out whose round %s', (_what, makeBusy) => {
  it('is refused with a clear answer, and paid when it is repeated', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 300, max: 600 })
    await alice.bet('100000000')
    setTime(plan.flightAt + 1_000)
    makeBusy()
    expectBusy(await alice.cashout())
    expect((await alice.cashout()).body).toMatchObject({ ok: true, multiplier: 1.06 })
  })
})

describe('what was carried out is never answered as refused', () => {
  const overloaded = Object.assign(new Error('Durable Object is overloaded.'), { overloaded: true })

  it('a cash-out whose ledger is busy', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 300, max: 600 })
    await alice.bet('100000000')
    setTime(plan.flightAt + 1_000)
    vi.spyOn(Ledger.prototype, 'settle').mockRejectedValueOnce(overloaded)
    expect(outcomeOf(await alice.cashout())).toEqual([500, 'internal'])
    expect((await alice.cashout()).body).toMatchObject({ ok: true, multiplier: 1.06 })
  })

  it('a bet whose answer was lost before its round was busy', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 300, max: 600 })
    const place = Reflect.get(CrashRound.prototype, 'place')
    const moved = Object.assign(new Error('the object moved'), { retryable: true })
    vi.spyOn(CrashRound.prototype, 'place')
      .mockImplementationOnce(async function (this: CrashRound, ...args) {
        await place.apply(this, args)
        throw moved
      })
      .mockRejectedValueOnce(overloaded)
    const { body } = await alice.bet('100000000')
    expect(body).toMatchObject({ ok: true, roundId: plan.roundId })
  })
})
