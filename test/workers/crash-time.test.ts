import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { VaultTransactions } from '../../durable-objects/ledger/vault-transactions.ts'
import { crashRound, ledger } from '../../src/calls/objects.ts'
import { flightMs, msToReach, multiplierAt } from '../../src/crash/curve.ts'
import { beaconRandomness } from '../../src/fairness/drand.ts'
import { projectionDelayMs } from '../../src/ledger/capacity.ts'
import { payoutOf } from '../../src/money/multiplier.ts'
import { sweep } from '../../src/sweep.ts'
import { verifyRound, verifyVoid } from '../../src/verify/round.ts'
import { CrashRound, Ledger } from '../../src/worker.ts'
import { publishedBeacon, signBeacon, useOwnBeacon } from './beacon.ts'
import {
  audit,
  fundedPlayer,
  get,
  isBlankObject,
  now,
  openBeaconRound,
  openRound,
  pass,
  restart,
  ringLedger,
  ringRound,
  ringTable,
  secretsOf,
  setTime,
  useStories,
  watch,
  outcomeOf,
  codeOf,
  endRound,
  loseAlarm,
} from './support.ts'

useStories()

const chipsHeld = async (player: Parameters<typeof audit>[0]) => {
  const books = await audit(player)
  return books.ok ? books.balances.USDG.chips : books.problem
}

describe('the last millisecond', () => {
  it('accepts a bet before bets close and none from then on', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    const plan = await openRound()
    setTime(plan.betsCloseAt - 1)
    expect((await alice.bet('10000')).status).toBe(200)
    setTime(plan.betsCloseAt)
    expect(outcomeOf(await bob.bet('10000'))).toEqual([409, 'betting_closed'])
    expect(await bob.chips()).toBe('1000000000')
  })

  it('applies in the round itself to a bet that an isolate still considered open', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound()
    const order = {
      betId: 'late',
      wallet: alice.wallet,
      token: 'USDG',
      amountWei: 10_000n,
      autoCashout: null,
    } as const
    setTime(plan.betsCloseAt)
    expect(await crashRound(env, plan.roundId).place(order)).toMatchObject({
      error: { code: 'betting_closed' },
    })
  })

  it('pays cash-outs before the crash and none from the crash on', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    const plan = await openRound({ min: 150, max: 1_000 })
    await Promise.all([alice.bet('10000'), bob.bet('10000')])
    const { crash } = await secretsOf(plan.roundId)
    const crashAt = plan.flightAt + flightMs(crash)
    setTime(crashAt - 1)
    expect((await alice.cashout()).body).toMatchObject({
      multiplier: multiplierAt(flightMs(crash) - 1) / 100,
    })
    setTime(crashAt)
    expect((await bob.cashout()).body).toMatchObject({ error: { code: 'already_crashed' } })
    expect(await bob.chips()).toBe('999990000')
  })

  it.each([
    ['pays every cash-out in the last millisecond of the flight', -1, [true, undefined]],
    ['refuses every cash-out that arrives with the crash', 0, [false, 'already_crashed']],
  ])('%s, beside the alarm', async (_, afterCrashMs, expected) => {
    const players = await Promise.all([0, 1, 2, 3].map(fundedPlayer))
    const plan = await openRound({ min: 150, max: 1_000 })
    await Promise.all(players.map((player) => player.bet('10000')))
    const { crash } = await secretsOf(plan.roundId)
    setTime(plan.flightAt + flightMs(crash) + afterCrashMs)
    const racing = players.map((player) => player.cashout())
    const crashing = ringRound(plan.roundId)
    const answers = await Promise.all(racing)
    await crashing
    expect(answers.map(({ body }) => [body.ok, body.error?.code])).toEqual(
      players.map(() => expected),
    )
  })

  it('allows no cash-out while betting, or without a bet', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    await openRound()
    await alice.bet('10000')
    expect((await alice.cashout()).body.error.code).toBe('not_in_flight')
    expect((await bob.cashout()).body.error.code).toBe('no_open_bet')
    expect((await bob.cashout({ roundId: 4_711 })).body.error.code).toBe('no_open_bet')
  })

  it('asks a round once about a wallet without a bet, after bets have closed', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    const plan = await openRound({ min: 200, max: 1_000 })
    const { roundId } = plan
    const asked = vi.spyOn(CrashRound.prototype, 'cashOut')
    for (const player of [alice, bob, alice])
      expect(codeOf(await player.cashout({ roundId }))).toBe('no_open_bet')
    expect(asked).toHaveBeenCalledTimes(3)
    await alice.bet('10000')
    setTime(plan.flightAt + 1)
    await watch()
    asked.mockClear()
    for (let call = 0; call < 5; call++)
      expect(codeOf(await bob.cashout({ roundId }))).toBe('no_open_bet')
    expect(asked).toHaveBeenCalledTimes(1)
    expect((await alice.cashout({ roundId })).status).toBe(200)
  })

  it('takes round 0, before the first, for a past one', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    const plan = await openRound({ min: 150, max: 1_000 })
    expect(outcomeOf(await bob.bet('10000', { roundId: 0 }))).toEqual([409, 'betting_closed'])
    expect(await bob.chips()).toBe('1000000000')
    await alice.bet('10000')
    setTime(plan.flightAt)
    expect((await alice.cashout({ roundId: 0 })).body.error.code).toBe('no_open_bet')
    expect((await alice.state()).body.me.openBet).not.toBeNull()
  })
})

describe('a state', () => {
  it('shows the round as it is now, though the wallet’s ledger has waited for the vault', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 200, max: 300 })
    const { crash } = await secretsOf(plan.roundId)
    await alice.bet('1000000')
    setTime(plan.flightAt + flightMs(crash) - 1)
    const waited = vi.spyOn(VaultTransactions.prototype, 'catchUp').mockImplementation(async () => {
      pass(1_400)
      return false
    })
    const { body } = await alice.state()
    expect(body).toMatchObject({ phase: 'results', crashPoint: crash / 100, me: { openBet: null } })
    expect(waited).toHaveBeenCalledTimes(1)
    waited.mockRestore()
  })

  describe('while the wallet’s ledger takes 300 ms', () => {
    /** Opens a round in which Alice has a bet. From then on, each answer of her ledger waits for `meanwhile`. */
    async function betWithSlowLedger(fields: object = {}) {
      const alice = await fundedPlayer(0)
      const plan = await openRound({ min: 300, max: 400 })
      await alice.bet('10000', fields)
      const { crash } = await secretsOf(plan.roundId)
      const meanwhile = vi.fn(async () => pass(300))
      const me = Reflect.get(Ledger.prototype, 'me')
      vi.spyOn(Ledger.prototype, 'me').mockImplementation(async function (this: Ledger, ...args) {
        const answer = await me.apply(this, args)
        await meanwhile()
        return answer
      })
      return { alice, plan, meanwhile, crashAt: plan.flightAt + flightMs(crash) }
    }

    it('shows the round as it is now, and asks once', async () => {
      const { alice, plan, meanwhile } = await betWithSlowLedger()
      setTime(plan.flightAt + 11_000)
      const { body } = await alice.state()
      expect(body).toMatchObject({ serverTime: now(), me: { openBet: { roundId: plan.roundId } } })
      expect(meanwhile).toHaveBeenCalledTimes(1)
    })

    it('asks again once the auto-cash-out is reached', async () => {
      const { alice, plan, meanwhile } = await betWithSlowLedger({ autoCashout: 2 })
      setTime(plan.flightAt + 11_500)
      const { body } = await alice.state()
      expect(body).toMatchObject({ serverTime: now(), phase: 'flight', me: { openBet: null } })
      expect(body.me.chips.USDG).toBe('1000010000')
      expect(meanwhile).toHaveBeenCalledTimes(2)
    })

    it('asks again once the round has crashed', async () => {
      const { alice, meanwhile, crashAt } = await betWithSlowLedger()
      setTime(crashAt - 150)
      const { body } = await alice.state()
      expect(body).toMatchObject({ phase: 'results', me: { openBet: null } })
      expect(meanwhile).toHaveBeenCalledTimes(2)
    })

    it('follows a round that changes with every answer', async () => {
      const { alice, plan, meanwhile, crashAt } = await betWithSlowLedger()
      setTime(plan.flightAt - 1)
      meanwhile.mockImplementationOnce(async () => setTime(crashAt - 1))
      const { body } = await alice.state()
      expect(body).toMatchObject({ phase: 'results', me: { openBet: null } })
      expect(meanwhile).toHaveBeenCalledTimes(3)
    })

    it('shows no open bet beside its cash-out', async () => {
      const { alice, plan, meanwhile } = await betWithSlowLedger()
      setTime(plan.flightAt + 5_000)
      meanwhile.mockImplementationOnce(async () => {
        await alice.cashout()
        pass(300)
      })
      const { body } = await alice.state()
      expect(body.recentWins).toMatchObject([{ wallet: alice.wallet, mult: 1.34 }])
      expect(body.me).toMatchObject({ openBet: null, chips: { USDG: '1000003400' } })
    })
  })
})

describe('auto-cash-outs', () => {
  it('are paid exactly their target with nobody watching', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    const plan = await openRound({ min: 200, max: 600 })
    const { crash } = await secretsOf(plan.roundId)
    await alice.bet('1000003', { autoCashout: 1.37 })
    await bob.bet('1000003', { autoCashout: crash / 100 })
    setTime(plan.flightAt + flightMs(crash) + 3_600_000)
    await ringRound(plan.roundId)
    expect(await chipsHeld(alice)).toBe(
      String(1_000_000_000n - 1_000_003n + payoutOf(1_000_003n, 137)),
    )
    expect(await chipsHeld(bob)).toBe(
      String(1_000_000_000n - 1_000_003n + payoutOf(1_000_003n, crash)),
    )
  })

  it('appear in the next read after they are reached, without the open bet', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 300 })
    await alice.bet('100000000', { autoCashout: 2 })
    setTime(plan.flightAt + 11_552)
    expect((await alice.state()).body.me).toMatchObject({
      openBet: { autoCashout: 2 },
      chips: { USDG: '900000000' },
    })
    pass(1_000)
    expect((await alice.state()).body.me).toMatchObject({
      openBet: null,
      chips: { USDG: '1100000000' },
    })
    expect((await alice.cashout()).body).toMatchObject({
      ok: true,
      multiplier: 2,
      payout: '200000000',
    })
  })

  it('that the round’s limit has forced appear in the next read, without the open bet', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    const limits = { min: '1', max: '62', maxPayout: '100000', maxRoundPayout: '500' }
    const plan = await openRound({ min: 600, limits })
    await alice.bet('62')
    await bob.bet('47')
    setTime(plan.flightAt + msToReach(458))
    const { body } = await alice.state()
    expect(body.recentWins).toContainEqual(
      expect.objectContaining({ wallet: alice.wallet, mult: 4.58 }),
    )
    expect(body.me).toMatchObject({ openBet: null, chips: { USDG: '1000000221' } })
    expect((await bob.state()).body.me.openBet).toBeNull()
  })

  it('lose one hundredth above the crash', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 200, max: 600 })
    const { crash } = await secretsOf(plan.roundId)
    await alice.bet('1000000', { autoCashout: (crash + 1) / 100 })
    setTime(plan.flightAt + flightMs(crash))
    expect(await alice.chips()).toBe('999000000')
  })
})

describe('alarms', () => {
  it('that run twice move nothing twice', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 200, max: 600 })
    await alice.bet('1000000', { autoCashout: 1.5 })
    await endRound(plan)
    await runInDurableObject(crashRound(env, plan.roundId), (round) => round.alarm())
    await runInDurableObject(crashRound(env, plan.roundId), (round) => round.alarm())
    expect(await alice.chips()).toBe('1000500000')
  })

  it('that are lost are replaced by the next read', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 200, max: 600 })
    await alice.bet('1000000', { autoCashout: 1.5 })
    await loseAlarm(crashRound(env, plan.roundId))
    await restart()
    setTime(plan.flightAt + flightMs(600) + plan.resultsMs)
    const { body } = await alice.state()
    expect(body).toMatchObject({
      phase: 'betting',
      roundId: plan.roundId + 1,
      me: { chips: { USDG: '1000500000' } },
    })
  })

  it('that are lost are replaced by the cron handler if nobody reads', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 200, max: 600 })
    await alice.bet('1000000', { autoCashout: 1.5 })
    await loseAlarm(crashRound(env, plan.roundId))
    await restart()
    setTime(plan.flightAt + flightMs(600))
    await sweep(env)
    expect(await chipsHeld(alice)).toBe('1000500000')
  })

  it('of a ledger settle a lost stake whose owner never returns', async () => {
    const bob = await fundedPlayer(1)
    const plan = await openRound({ max: 600 })
    await bob.bet('1000000')
    setTime(plan.flightAt + flightMs(600))
    await ringLedger(bob)
    expect(await audit(bob)).toMatchObject({
      balances: { USDG: { chips: '999000000', in_play: '0' } },
    })
  })

  it('of a ledger come at most five minutes after a bet, and a minute after one in flight', async () => {
    const bob = await fundedPlayer(1)
    pass(3_600_000)
    await ringLedger(bob)
    const plan = await openRound({ min: 300, max: 600 })
    await bob.bet('1000000')
    const nextAlarm = () =>
      runInDurableObject(ledger(env, bob.wallet), (_, { storage }) => storage.getAlarm())
    expect(await nextAlarm()).toBe(now() + projectionDelayMs(bob.wallet))
    setTime(plan.flightAt + 1)
    await ringLedger(bob)
    expect(await audit(bob)).toMatchObject({ balances: { USDG: { in_play: '1000000' } } })
    expect(await nextAlarm()).toBe(now() + 60_000)
  })
})

describe('history', () => {
  it('catches up if D1 was down while a round settled', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 200, max: 600 })
    await alice.bet('1000000', { autoCashout: 1.5 })
    await env.HISTORY.exec('ALTER TABLE crash_rounds RENAME TO away')
    await endRound(plan)
    expect(await alice.chips()).toBe('1000500000')
    expect((await get('/api/crash/verify-seeds')).body.rounds).toHaveLength(1)
    await env.HISTORY.exec('ALTER TABLE away RENAME TO crash_rounds')
    const saved = async () =>
      (await env.HISTORY.prepare('SELECT * FROM crash_rounds').all()).results
    expect(await saved()).toEqual([])
    pass(10_000)
    await sweep(env)
    expect(await saved()).toHaveLength(1)
    const { body } = await get(`/api/crash/verify-seeds?roundId=${plan.roundId}`)
    expect(body.rounds[0]).toMatchObject({ roundId: plan.roundId, seedHash: plan.seedHash })
    const bets = await env.HISTORY.prepare('SELECT * FROM crash_bets').all()
    expect(bets.results).toMatchObject([
      {
        wallet: alice.wallet,
        amount_wei: '1000000',
        cashout_hundredths: 150,
        payout_wei: '1500000',
      },
    ])
  })

  it('contains the last twelve settled rounds with bets, and no others', async () => {
    const alice = await fundedPlayer(0)
    const played: number[] = []
    for (let round = 0; round < 14; round++) {
      const plan = await openRound({ max: 400 })
      if (round !== 5) {
        await alice.bet('10000')
        played.unshift(plan.roundId)
      }
      setTime(plan.flightAt + flightMs(400) + plan.resultsMs)
    }
    await watch()
    const { rounds } = (await get('/api/crash/verify-seeds')).body
    expect(rounds.map(({ roundId }: { roundId: number }) => roundId)).toEqual(played.slice(0, 12))
    for (const round of rounds) expect(verifyRound(round).every(({ holds }) => holds)).toBe(true)
    expect((await watch()).history).toHaveLength(14)
  })
})

describe('the beacon', () => {
  useOwnBeacon()

  const unpublished = () => new Response('not yet', { status: 404 })

  it('delays take-off when it is late, and the round is played and verified', async () => {
    const alice = await fundedPlayer(0)
    let relay: (round: number) => Response = unpublished
    const plan = await openBeaconRound((round) => relay(round))
    await alice.bet('1000000', { autoCashout: 1.01 })
    setTime(plan.flightAt)
    await ringRound(plan.roundId)
    expect(await watch()).toMatchObject({ phase: 'betting', msLeft: 0, crashPoint: null })
    expect((await alice.cashout()).body.error.code).toBe('not_in_flight')
    relay = publishedBeacon
    pass(5_000)
    await ringRound(plan.roundId)
    expect(await watch()).toMatchObject({ flightAt: now() })
    const { crash } = await secretsOf(plan.roundId)
    setTime(now() + flightMs(crash))
    await watch()
    const { rounds } = (await get('/api/crash/verify-seeds')).body
    const signature = signBeacon(plan.beacon)
    expect(rounds[0]).toMatchObject({ pepper: beaconRandomness(signature), signature })
    const seen = { ...plan, seenAt: plan.openedAt }
    expect(verifyRound(rounds[0], seen).every(({ holds }) => holds)).toBe(true)
  })

  it('is not trusted without its signature: bets in a round that is never signed are refunded', async () => {
    const alice = await fundedPlayer(0)
    const forged = (round: number) => Response.json({ round, signature: signBeacon(round + 1) })
    const plan = await openBeaconRound(forged)
    await alice.bet('1000000')
    setTime(plan.flightAt)
    await ringRound(plan.roundId)
    setTime(plan.betsCloseAt + 59_999)
    expect(await watch()).toMatchObject({ phase: 'betting', roundId: plan.roundId })
    setTime(plan.betsCloseAt + 60_000)
    await ringRound(plan.roundId)
    expect(await chipsHeld(alice)).toBe('1000000000')
    pass(250)
    const state = (await alice.state()).body
    expect(state).toMatchObject({
      phase: 'betting',
      roundId: plan.roundId + 1,
      history: [],
      me: { openBet: null },
    })
    const { rounds, voided } = (await get('/api/crash/verify-seeds')).body
    expect(rounds).toEqual([])
    expect(voided).toMatchObject([
      { roundId: plan.roundId, seedHash: plan.seedHash, pepperSource: plan.pepperSource },
    ])
    expect(verifyVoid(voided[0], plan).every(({ holds }) => holds)).toBe(true)
  })

  it('that never arrives refunds bets at the next read, even if no alarm ran', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openBeaconRound(unpublished)
    await alice.bet('1000000')
    await loseAlarm(crashRound(env, plan.roundId))
    await restart()
    setTime(plan.betsCloseAt + 3_600_000)
    expect((await alice.state()).body.me).toMatchObject({
      openBet: null,
      chips: { USDG: '1000000000' },
    })
  })
})

describe('an idle table', () => {
  it.each([
    ['opens another round if somebody read it in the last 30 seconds', 29_999, true],
    ['stops once nobody has read it for 30 seconds', 30_000, false],
  ])('%s', async (_, unreadMs, isOpened) => {
    const plan = await openRound({ max: 101 })
    await watch()
    pass(unreadMs)
    await ringRound(plan.roundId)
    await ringTable()
    expect(await isRunning(plan.roundId + 1)).toBe(isOpened)
  })

  it('opens a fresh betting round for the first read after an hour', async () => {
    const plan = await openRound()
    pass(3_600_000)
    expect(await watch()).toMatchObject({
      phase: 'betting',
      roundId: plan.roundId + 1,
      msLeft: 8_000,
      betsCloseAt: now() + 8_000,
    })
  })
})

/** Whether a round has been opened and has not ended. */
async function isRunning(roundId: number): Promise<boolean> {
  return !(await isBlankObject(crashRound(env, roundId)))
}
