import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { control, ledger } from '../../src/calls/objects.ts'
import { Ledger } from '../../src/worker.ts'
import { order } from './operator.ts'
import { loseCall, Platform } from './partner.ts'
import {
  audit,
  endRound,
  fundedPlayer,
  openRound,
  outcomeOf,
  pass,
  Player,
  post,
  restart,
  setTime,
  useStories,
} from './support.ts'

useStories()

const STAKE = '1000000'
const FROZEN = [403, 'wallet_frozen']

let alice: Player

beforeEach(async () => {
  alice = await fundedPlayer(0)
})

describe('a frozen wallet', () => {
  it('takes no bets, plays, games or debits, from the act’s answer on and after a restart', async () => {
    await openRound()
    const platform = new Platform()
    const { body } = await order('freeze', alice.wallet)
    expect(body.act.result.isDone).toBe(true)
    for (const isRestarted of [false, true]) {
      if (isRestarted) await restart()
      expect(outcomeOf(await alice.bet(STAKE))).toEqual(FROZEN)
      expect(outcomeOf(await alice.play())).toEqual(FROZEN)
      const authSig = await alice.authSig()
      const game = { token: 'USDG', amountWei: STAKE, params: { mines: 1 } }
      const signed = { wallet: alice.wallet, authSig }
      const opened = await post('/api/entropy', { action: 'mines-open', ...signed, ...game })
      expect(outcomeOf(opened)).toEqual(FROZEN)
      expect(outcomeOf(await platform.transact(alice, '-1'))).toEqual(FROZEN)
    }
    expect(await alice.chips()).toBe('1000000000')
    expect((await (await fundedPlayer(1)).play()).status).toBe(200)
  })

  it('still gets credits, and the payout of a bet that was placed before', async () => {
    const round = await openRound({ min: 300 })
    await alice.bet(STAKE)
    await order('freeze', alice.wallet)
    setTime(round.flightAt + 11_553)
    expect((await alice.cashout()).body).toMatchObject({ multiplier: 2 })
    await endRound(round)
    expect((await new Platform().transact(alice, '1')).status).toBe(200)
    expect(await alice.chips()).toBe('1002000000')
  })

  it('is as before once it is unfrozen, and its journal has both acts', async () => {
    await order('freeze', alice.wallet)
    const { body } = await order('unfreeze', alice.wallet)
    expect(body.act.result).toMatchObject({ isDone: true })
    expect((await alice.play()).status).toBe(200)
    // The faucet, two acts and a play.
    expect(await audit(alice)).toMatchObject({ ok: true, entries: 4 })
    expect((await order('unfreeze', alice.wallet)).body.act.result.isDone).toBe(false)
  })

  it('tells of a repeated act what it told the first time', async () => {
    const acts = [
      { id: 'first', at: 1, isFrozen: false },
      { id: 'second', at: 2, isFrozen: true },
      { id: 'third', at: 3, isFrozen: false },
    ]
    for (let time = 0; time < 2; time++) {
      const told = []
      for (const act of acts) told.push(await ledger(env, alice.wallet).setFrozen(act))
      expect(told).toEqual(['not-frozen', 'done', 'done'])
    }
    expect((await alice.play()).status).toBe(200)
  })

  it('may be one that has never had chips', async () => {
    const bob = new Player(1)
    await order('freeze', bob.wallet)
    await bob.fund()
    expect(outcomeOf(await bob.play())).toEqual(FROZEN)
  })

  it('is frozen once, even if the ledger’s answer was lost and control restarted', async () => {
    const setFrozen = Reflect.get(Ledger.prototype, 'setFrozen')
    vi.spyOn(Ledger.prototype, 'setFrozen').mockImplementationOnce(async function (
      this: Ledger,
      ...act
    ) {
      await setFrozen.apply(this, act)
      throw new Error('the answer was lost')
    })
    expect((await order('freeze', alice.wallet)).body.act.result).toBeNull()
    expect(outcomeOf(await alice.play())).toEqual(FROZEN)
    await restart()
    pass(10_000)
    await runDurableObjectAlarm(control(env))
    expect(await audit(alice)).toMatchObject({ ok: true, entries: 2 })
    expect(outcomeOf(await alice.play())).toEqual(FROZEN)
  })

  it.each<['freeze' | 'unfreeze', 'freeze' | 'unfreeze', number]>([
    ['unfreeze', 'freeze', 403],
    ['freeze', 'unfreeze', 200],
  ])('stays as ordered last if an earlier %s is carried out after a %s', async (...acts) => {
    const [late, newer, status] = acts
    loseCall(Ledger.prototype, 'setFrozen')
    expect((await order(late, alice.wallet)).body.act.result).toBeNull()
    await order(newer, alice.wallet)
    await restart()
    pass(10_000)
    await runDurableObjectAlarm(control(env))
    expect((await alice.play()).status).toBe(status)
    expect((await audit(alice)).ok).toBe(true)
  })

  it('is frozen by the later of two acts in one millisecond', async () => {
    await order('freeze', alice.wallet)
    await order('unfreeze', alice.wallet)
    const { body } = await order('freeze', alice.wallet)
    expect(body.act.result.isDone).toBe(true)
    expect(outcomeOf(await alice.play())).toEqual(FROZEN)
  })

  it('is unfrozen even if the platform has the first call repeated', async () => {
    await order('freeze', alice.wallet)
    const moved = Object.assign(new Error('the object moved'), { retryable: true })
    vi.spyOn(Ledger.prototype, 'setFrozen').mockRejectedValueOnce(moved)
    expect((await order('unfreeze', alice.wallet)).body.act.result).toMatchObject({ isDone: true })
    expect((await alice.play()).status).toBe(200)
  })
})
