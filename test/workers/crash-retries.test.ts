import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { CrashRoundStore } from '../../durable-objects/crash-round/store.ts'
import { crashRound, ledger } from '../../src/calls/objects.ts'
import { flightMs } from '../../src/crash/curve.ts'
import { CrashRound, Ledger } from '../../src/worker.ts'
import { loseAnswer, loseCall } from './partner.ts'
import {
  audit,
  endRound,
  fundedPlayer,
  openRound,
  pass,
  restart,
  ringRound,
  setTime,
  useStories,
  type Answer,
  passFlight,
} from './support.ts'

useStories()

const outcomes = (answers: Answer[]) =>
  answers
    .map(({ status, body }) => (status === 200 ? 'accepted' : String(body.error.code)))
    .toSorted()

describe('repeated bets', () => {
  it('are debited once when the same bet is sent ten times in parallel', async () => {
    const alice = await fundedPlayer(0)
    await openRound()
    const answers = await Promise.all(Array.from({ length: 10 }, () => alice.bet('100000000')))
    for (const { body } of answers) expect(body).toEqual(answers[0]?.body)
    expect(answers[0]?.status).toBe(200)
    expect(await alice.chips()).toBe('900000000')
  })

  it('are refused except one when ten different bets are sent in parallel', async () => {
    const alice = await fundedPlayer(0)
    await openRound()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => alice.bet(String(10_000_000 + index))),
    )
    expect(outcomes(answers)).toEqual(['accepted', ...Array<string>(9).fill('bet_exists')])
    const accepted = answers.find(({ status }) => status === 200)
    expect(await alice.chips()).toBe(accepted?.body.me.chips.USDG)
  })

  it('get the first answer, even in flight and after the round', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 200, max: 400 })
    await alice.bet('100000000', { autoCashout: 1.5 })
    setTime(plan.flightAt + 100)
    expect(await alice.bet('100000000', { autoCashout: 1.5 })).toMatchObject({
      status: 200,
      body: { roundId: plan.roundId },
    })
    expect(await alice.bet('100000000', { autoCashout: 1.6 })).toMatchObject({
      body: { error: { code: 'bet_exists' } },
    })
    setTime(plan.flightAt + flightMs(400) + plan.resultsMs)
    const late = await alice.bet('100000000', { autoCashout: 1.5, roundId: plan.roundId })
    expect(late).toMatchObject({
      status: 200,
      body: { roundId: plan.roundId, me: { openBet: null } },
    })
    expect(await alice.chips()).toBe('1050000000')
  })

  it('are allowed in the round that refused the wallet’s first bet', async () => {
    const alice = await fundedPlayer(0)
    await openRound()
    expect(await alice.bet('2000000000')).toMatchObject({
      body: { error: { code: 'amount_out_of_bounds' } },
    })
    expect(await alice.bet('400000000')).toMatchObject({ status: 200 })
  })
})

describe('a repeated cash-out', () => {
  it('does not show a crashed bet of a later round as open', async () => {
    const alice = await fundedPlayer(0)
    const first = await openRound({ min: 200, max: 400 })
    await alice.bet('100000000')
    setTime(first.flightAt + 1_000)
    await alice.cashout()
    await passFlight(first)
    pass(first.resultsMs)
    const second = await openRound({ min: 101, max: 300 })
    await alice.bet('100000000')
    const repeat = () => alice.cashout({ roundId: first.roundId })
    setTime(second.flightAt)
    expect((await repeat()).body.me.openBet).toMatchObject({ roundId: second.roundId })
    await passFlight(second)
    const { status, body } = await repeat()
    expect([status, body.me.openBet]).toEqual([200, null])
  })
})

describe('after a lost answer', () => {
  it('a bet that was placed stays placed and can be repeated safely', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 200 })
    loseAnswer(CrashRound.prototype, 'place')
    expect((await alice.bet('100000000')).status).toBe(500)
    expect((await alice.bet('100000000')).body).toMatchObject({ ok: true, roundId: plan.roundId })
    expect(await alice.chips()).toBe('900000000')
    setTime(plan.flightAt + 5_000)
    expect((await alice.cashout()).body).toMatchObject({ ok: true, multiplier: 1.34 })
    expect(await alice.chips()).toBe('1034000000')
  })

  it('a call between objects interrupted by a deployment is retried, unnoticed by the player', async () => {
    const alice = await fundedPlayer(0)
    await openRound()
    const interrupted = Object.assign(new Error('the object moved'), { retryable: true })
    vi.spyOn(CrashRound.prototype, 'place').mockRejectedValueOnce(interrupted)
    expect((await alice.bet('100000000')).status).toBe(200)
    expect(await alice.chips()).toBe('900000000')
  })

  it('a bet that never arrived is refunded, and refused if it still arrives', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 200 })
    loseCall(CrashRound.prototype, 'place')
    expect((await alice.bet('100000000')).status).toBe(500)
    await restart()
    expect(await alice.chips()).toBe('900000000')
    await passFlight(plan)
    expect((await alice.state()).body.me).toMatchObject({
      chips: { USDG: '1000000000' },
      openBet: null,
    })
    const late = await crashRound(env, plan.roundId).place({
      betId: `${plan.roundId}:${alice.wallet}:0`,
      wallet: alice.wallet,
      token: 'USDG',
      amountWei: 100_000_000n,
      autoCashout: null,
    })
    expect(late).toMatchObject({ error: { code: 'betting_closed' } })
  })

  it('a bet reported as never placed is never accepted, even while bets are open', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound()
    const betId = `${plan.roundId}:${alice.wallet}:0`
    expect(await crashRound(env, plan.roundId).outcome(betId)).toEqual({ kind: 'never_placed' })
    await restart()
    const order = {
      betId,
      wallet: alice.wallet,
      token: 'USDG',
      amountWei: 10_000n,
      autoCashout: null,
    } as const
    expect(await crashRound(env, plan.roundId).place(order)).toMatchObject({
      error: { code: 'betting_closed' },
    })
  })

  it('a bet that came too late is never accepted, even after a restart with a slower clock', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound()
    const order = {
      betId: `${plan.roundId}:${alice.wallet}:0`,
      wallet: alice.wallet,
      token: 'USDG',
      amountWei: 10_000n,
      autoCashout: null,
    } as const
    const closed = { error: { code: 'betting_closed' } }
    setTime(plan.betsCloseAt)
    expect(await crashRound(env, plan.roundId).place(order)).toMatchObject(closed)
    await restart()
    setTime(plan.betsCloseAt - 100)
    expect(await crashRound(env, plan.roundId).place(order)).toMatchObject(closed)
  })

  it('a bet whose round does not say how it ended is not shown as open, and its stake not as chips', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 200, max: 600 })
    await alice.bet('100000000')
    await endRound(plan)
    vi.spyOn(CrashRound.prototype, 'outcome').mockRejectedValue(new Error('no answer'))
    const { body } = await alice.state()
    expect(body.me).toMatchObject({ openBet: null, chips: { USDG: '900000000' } })
  })

  it('a bet in a round before the wallet’s latest is refused, although a table that went back takes bets', async () => {
    const alice = await fundedPlayer(0)
    const { roundId, betsCloseAt } = await openRound()
    const betIn = (round: number) =>
      ledger(env, alice.wallet).bet({
        roundId: round,
        betsCloseAt,
        open: true,
        isWaiting: false,
        min: 1n,
        max: 10n ** 9n,
        maxPayout: 10n ** 12n,
        params: { token: 'USDG', amountWei: 1_000_000n, autoCashout: null },
        now: { roundId: round, phase: 'betting', multiplier: 100, decidedTokens: [] },
        modes: { changes: [], holdsUntil: Infinity },
      })
    expect(await betIn(roundId)).toMatchObject({ ok: true })
    const place = vi.spyOn(CrashRound.prototype, 'place')
    expect(await betIn(roundId - 1)).toMatchObject({ error: { code: 'betting_closed' } })
    expect(place).not.toHaveBeenCalled()
    expect(await alice.chips()).toBe('999000000')
  })

  it('a cash-out whose payment was confirmed but lost is paid once', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 300 })
    await alice.bet('100000000')
    setTime(plan.flightAt + 11_553)
    loseAnswer(Ledger.prototype, 'settle')
    expect((await alice.cashout()).status).toBe(500)
    pass(1_000)
    expect((await alice.cashout()).body).toMatchObject({ multiplier: 2, payout: '200000000' })
    expect(await alice.chips()).toBe('1100000000')
  })

  it('a cash-out that its caller could not deliver is delivered by the round’s own alarm', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 300 })
    await alice.bet('100000000')
    setTime(plan.flightAt + 11_553)
    loseCall(Ledger.prototype, 'settle')
    expect((await alice.cashout()).status).toBe(500)
    await restart()
    pass(2_000)
    await ringRound(plan.roundId)
    expect(await audit(alice)).toMatchObject({
      balances: { USDG: { chips: '1100000000', in_play: '0' } },
    })
  })
})

describe('a failed transaction', () => {
  it('leaves no cash-out behind, and the repeated one gets the same multiplier', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 300 })
    await alice.bet('100000000')
    setTime(plan.flightAt + 11_553)
    vi.spyOn(CrashRoundStore.prototype, 'cashOut').mockImplementationOnce(() => {
      throw new Error('disk')
    })
    expect((await alice.cashout()).status).toBe(500)
    vi.restoreAllMocks()
    const again = () => alice.cashout()
    expect((await again()).body).toMatchObject({ multiplier: 2, payout: '200000000' })
    pass(3_000)
    await restart()
    expect((await again()).body).toMatchObject({ multiplier: 2, payout: '200000000' })
    expect(await alice.chips()).toBe('1100000000')
  })
})

describe('a restart', () => {
  it('changes nothing between any two steps', async () => {
    const alice = await fundedPlayer(0)
    const [bob, carol] = [await fundedPlayer(1), await fundedPlayer(2)]
    await restart()
    const plan = await openRound({ min: 300, max: 900 })
    await restart()
    await Promise.all([
      alice.bet('100000000'),
      bob.bet('200000000', { autoCashout: 2.5 }),
      carol.bet('300000000'),
    ])
    await restart()
    expect((await alice.bet('100000000')).status).toBe(200)
    expect((await carol.state()).body.me.openBet).toMatchObject({ amountWei: '300000000' })
    await restart()
    setTime(plan.flightAt + 11_553)
    await restart()
    expect((await alice.cashout()).body).toMatchObject({ multiplier: 2, payout: '200000000' })
    await restart()
    expect((await alice.cashout()).body).toMatchObject({ multiplier: 2, payout: '200000000' })
    await restart()
    await passFlight(plan)
    await restart()
    await ringRound(plan.roundId)
    await restart()
    expect(await alice.chips()).toBe('1100000000')
    expect(await bob.chips()).toBe('1300000000')
    expect(await carol.chips()).toBe('700000000')
  })
})
