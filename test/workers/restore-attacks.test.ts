import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Ledger } from '../../durable-objects/ledger.ts'
import { control, ledger } from '../../src/calls/objects.ts'
import { refuse } from '../../src/core/refusal.ts'
import { isoTime } from '../../src/core/utc-day.ts'
import { LAST_KNOWN_MS } from '../../src/operator/modes.ts'
import { bringBack, damaged, goesBackTo, stateOf } from './ledger-states.ts'
import { setLimit } from './limits.ts'
import { look, order, setModes } from './operator.ts'
import { loseCall, Platform } from './partner.ts'
import { loggedOf } from './public-log.ts'
import { codeOf, fundedPlayer, now, pass, post, Player, ringLedger, useStories } from './support.ts'

useStories()

const platform = new Platform()

let alice: Player

const secondsOf = (unixMs: number) => isoTime(unixMs).replace(/\.\d+Z$/, 'Z')

async function close(): Promise<void> {
  await setModes(`wallet:${alice.wallet}=closed`)
  pass(LAST_KNOWN_MS)
}

const open = () => setModes(`wallet:${alice.wallet}=open`)

const restore = async (target: string) => (await order('restore', target)).body.act

const restorations = async () =>
  (await loggedOf('control')).filter(({ id }) => id.startsWith('restore:'))

beforeEach(async () => {
  alice = await fundedPlayer(0)
  for (let nonce = 0; nonce < 2; nonce++) await alice.play({ nonce })
  pass(60_000)
})

describe('a restore', () => {
  it('waits for a ledger that has not restarted, because it would still go back later', async () => {
    const state = await stateOf(alice.wallet)
    const time = now()
    pass(1_000)
    for (let nonce = 2; nonce < 5; nonce++) await alice.play({ nonce })
    const { seq } = await ledger(env, alice.wallet).standing(now())
    await close()
    await goesBackTo(alice.wallet, state)
    loseCall(Ledger.prototype, 'restart')
    const { hash } = await restore(`${alice.wallet}@${secondsOf(time)}`)
    loseCall(Ledger.prototype, 'restart')
    pass(60_000)
    await runDurableObjectAlarm(control(env))
    const { decided } = (await look()).body.acts
    expect(decided.find((act: { hash: string }) => act.hash === hash).result).toBeNull()
    expect(await restorations()).toEqual([])
    pass(60_000)
    await runDurableObjectAlarm(control(env))
    const [logged] = await restorations()
    expect(logged).toMatchObject({ kept: { seq: seq - 3 }, known: { seq } })
  })

  it('is refused while another one of the same wallet is in progress', async () => {
    const state = await stateOf(alice.wallet)
    const time = now()
    pass(1_000)
    for (let nonce = 2; nonce < 5; nonce++) await alice.play({ nonce })
    await close()
    await goesBackTo(alice.wallet, state)
    loseCall(Ledger.prototype, 'goOn')
    const target = `${alice.wallet}@${secondsOf(time)}`
    expect((await restore(target)).result).toBeNull()
    expect((await restore(target)).result).toMatchObject({
      isDone: false,
      message: expect.stringContaining('in progress'),
    })
    pass(60_000)
    await runDurableObjectAlarm(control(env))
    expect(await restorations()).toHaveLength(1)
  })

  describe('that was given up after the ledger had gone back', () => {
    let time: number
    let state: Awaited<ReturnType<typeof stateOf>>
    let before: typeof state
    let chips: string

    beforeEach(async () => {
      state = await stateOf(alice.wallet)
      time = now()
      pass(1_000)
      for (let nonce = 2; nonce < 5; nonce++) await alice.play({ nonce })
      before = await stateOf(alice.wallet)
      chips = await alice.chips()
      await close()
      await goesBackTo(alice.wallet, state)
      const refusal = refuse('withdrawal_pending', 'It has not ended.')
      vi.spyOn(Ledger.prototype, 'goOn').mockResolvedValueOnce(refusal)
      const act = await restore(`${alice.wallet}@${secondsOf(time)}`)
      expect(act.result).toMatchObject({ isDone: false })
    })

    it('does not stand for what the ledger has had since the return was undone', async () => {
      await bringBack(alice.wallet, before)
      await open()
      for (let nonce = 5; nonce < 8; nonce++) await alice.play({ nonce })
      const { seq, hash } = await ledger(env, alice.wallet).standing(now())
      chips = await alice.chips()
      await close()
      await goesBackTo(alice.wallet, state)
      expect((await restore(`${alice.wallet}@${secondsOf(time)}`)).result?.isDone).toBe(true)
      expect(await alice.chips()).toBe(chips)
      expect((await restorations()).at(-1)).toMatchObject({ known: { seq, hash } })
    })

    it('stands for it while the return has not been undone, however many entries follow', async () => {
      await open()
      const { nonce } = await alice.nextPlay()
      for (let play = 0; play < 5; play++) await alice.play({ nonce: nonce + play })
      await close()
      expect((await restore(alice.wallet)).result?.isDone).toBe(true)
      expect(await alice.chips()).toBe(chips)
    })
  })

  it('to a time at which the ledger was damaged ends, so that another one can be ordered', async () => {
    const state = await stateOf(alice.wallet)
    const time = now()
    pass(1_000)
    await setLimit(alice, 'wager', '1000000000')
    for (let nonce = 2; nonce < 5; nonce++) await alice.play({ nonce })
    pass(1_000)
    const later = now()
    const damagedState = damaged(await stateOf(alice.wallet))
    pass(1_000)
    for (let nonce = 5; nonce < 8; nonce++) await alice.play({ nonce })
    await order('freeze', alice.wallet)
    const { seq, hash } = await ledger(env, alice.wallet).standing(now())
    const chips = await alice.chips()
    await close()
    const goesBack = await goesBackTo(alice.wallet, damagedState)
    const stuck = vi.spyOn(Ledger.prototype, 'setFrozen').mockRejectedValue(new Error('damaged'))
    const first = await restore(`${alice.wallet}@${secondsOf(later)}`)
    // It may have been the call that failed.
    expect(first.result).toBeNull()
    pass(60_000)
    await runDurableObjectAlarm(control(env))
    expect(goesBack).toHaveBeenCalledTimes(2)
    const { decided } = (await look()).body.acts
    expect(decided.find((act: { hash: string }) => act.hash === first.hash).result).toMatchObject({
      isDone: false,
      message: expect.stringContaining('The bookmark the-bookmark-before undoes the return'),
    })
    stuck.mockRestore()
    await goesBackTo(alice.wallet, state)
    expect((await restore(`${alice.wallet}@${secondsOf(time)}`)).result?.isDone).toBe(true)
    expect((await restorations()).at(-1)).toMatchObject({ known: { seq, hash } })
    expect(await alice.chips()).toBe(chips)
    await open()
    expect(codeOf(await alice.play())).toBe('wallet_frozen')
  })

  it('of a ledger that went back by itself, and was damaged then, ends at once', async () => {
    await setLimit(alice, 'wager', '1000000000')
    const damagedState = damaged(await stateOf(alice.wallet))
    const before = await stateOf(alice.wallet)
    pass(300_000)
    await ringLedger(alice)
    await close()
    await bringBack(alice.wallet, damagedState)
    expect((await restore(alice.wallet)).result).toMatchObject({
      isDone: false,
      message: expect.stringContaining('Restore it to an earlier time'),
    })
    await bringBack(alice.wallet, before)
  })

  it('discloses no other result of a game than the one that it has lost', async () => {
    const call = async (fields: object) =>
      post('/api/entropy', { wallet: alice.wallet, authSig: await alice.authSig(), ...fields })
    const stake = { token: 'USDG', amountWei: '1000000', params: { mines: 1 } }
    await call({ action: 'mines-open', ...stake, nonce: 2 })
    pass(60_000)
    const state = await stateOf(alice.wallet)
    const time = now()
    pass(1_000)
    await call({ action: 'mines-pick', nonce: 2, tile: 0 })
    await call({ action: 'mines-cashout', nonce: 2 })
    const lost = await ledger(env, alice.wallet).findPlay(2)
    expect(lost).toMatchObject({ nonce: 2 })
    await close()
    await goesBackTo(alice.wallet, state)
    expect((await restore(`${alice.wallet}@${secondsOf(time)}`)).result?.isDone).toBe(true)
    expect(await ledger(env, alice.wallet).findPlay(2)).toBeNull()
    expect((await ledger(env, alice.wallet).commitNextPlay()).openGame).toBeNull()
  })

  it('undoes a partner’s transaction no second time, if it has lost the first', async () => {
    await platform.transact(alice, '-3', { partnerTransactionId: 'before' })
    pass(60_000)
    const state = await stateOf(alice.wallet)
    const time = now()
    pass(1_000)
    expect((await platform.rollBack(alice, 'before')).status).toBe(200)
    const chips = await alice.chips()
    await close()
    await goesBackTo(alice.wallet, state)
    await restore(`${alice.wallet}@${secondsOf(time)}`)
    await open()
    expect(await alice.chips()).toBe(chips)
    await platform.rollBack(alice, 'before')
    expect(await alice.chips()).toBe(chips)
  })

  it('lets a partner roll back what could not be rolled back while the wallet was closed', async () => {
    await platform.transact(alice, '-3', { partnerTransactionId: 'stake' })
    const state = await stateOf(alice.wallet)
    const time = now()
    pass(1_000)
    await alice.play({ nonce: 2 })
    const chips = BigInt(await alice.chips())
    await close()
    const undo = { partnerTransactionId: 'undo' }
    expect(codeOf(await platform.rollBack(alice, 'stake', undo))).toBe('closed')
    expect(codeOf(await platform.rollBack(alice, 'later'))).toBe('closed')
    await goesBackTo(alice.wallet, state)
    await restore(`${alice.wallet}@${secondsOf(time)}`)
    expect(codeOf(await platform.rollBack(alice, 'stake', undo))).toBe('closed')
    await open()
    expect((await platform.rollBack(alice, 'stake', undo)).status).toBe(200)
    expect(BigInt(await alice.chips())).toBe(chips + 3_000_000n)
    // Nothing has been buried.
    const later = await platform.transact(alice, '1', { partnerTransactionId: 'later' })
    expect(later.status).toBe(200)
  })

  it('lets a partner repeat what was refused because the wallet was closed', async () => {
    const state = await stateOf(alice.wallet)
    const time = now()
    pass(1_000)
    await alice.play({ nonce: 2 })
    await close()
    expect(codeOf(await platform.transact(alice, '5', { partnerTransactionId: 'win' }))).toBe(
      'closed',
    )
    await goesBackTo(alice.wallet, state)
    await restore(`${alice.wallet}@${secondsOf(time)}`)
    await open()
    const repeated = await platform.transact(alice, '5', { partnerTransactionId: 'win' })
    expect(repeated.status).toBe(200)
  })
})

describe('a partner’s id, after a restore', () => {
  const eth = { currency: 'ETH' }

  /** Has the ledger lose what happens meanwhile. */
  async function losing(meanwhile: () => Promise<unknown>): Promise<void> {
    const state = await stateOf(alice.wallet)
    const time = now()
    pass(1_000)
    await alice.play({ nonce: 2 })
    await meanwhile()
    await close()
    await goesBackTo(alice.wallet, state)
    expect((await restore(`${alice.wallet}@${secondsOf(time)}`)).result?.isDone).toBe(true)
    await open()
  }

  it.each([
    ['lost', false],
    ['lost, and nobody knows that the ledger never had it', true],
  ])('rolls back what a rollback in another currency could not that is %s', async (_how, fails) => {
    const standing = Reflect.get(Ledger.prototype, 'standing')
    let asked = 0
    vi.spyOn(Ledger.prototype, 'standing').mockImplementation(async function (
      this: Ledger,
      at,
      ids,
      entry,
    ) {
      if (ids && ++asked === 1 && fails) throw new Error('it does not answer')
      return standing.call(this, at, ids, entry)
    })
    await platform.transact(alice, '-3', { partnerTransactionId: 'stake' })
    await losing(async () => {
      expect(codeOf(await platform.rollBack(alice, 'stake', eth))).toBe('idempotency_conflict')
    })
    const chips = BigInt(await alice.chips())
    expect((await platform.rollBack(alice, 'stake')).status).toBe(200)
    expect(BigInt(await alice.chips())).toBe(chips + 3_000_000n)
  })

  it('is rolled back no second time, however many rollbacks of it were lost', async () => {
    await platform.transact(alice, '-3', { partnerTransactionId: 'stake' })
    await losing(async () => {
      for (const id of ['undo-1', 'undo-2']) {
        const undo = { partnerTransactionId: id }
        expect((await platform.rollBack(alice, 'stake', undo)).status).toBe(200)
      }
    })
    const chips = await alice.chips()
    const again = await platform.rollBack(alice, 'stake')
    expect(again.body.error.details).toEqual({ reason: 'answer_lost' })
    expect(await alice.chips()).toBe(chips)
  })

  it('rolls back nothing of what was refused, although an earlier rollback was lost', async () => {
    await platform.transact(alice, '-100000', { partnerTransactionId: 'too-much' })
    await losing(async () => {
      expect((await platform.rollBack(alice, 'too-much')).status).toBe(200)
    })
    const chips = await alice.chips()
    expect((await platform.rollBack(alice, 'too-much')).status).toBe(200)
    expect(await alice.chips()).toBe(chips)
  })

  it('is carried out if it never reached the ledger', async () => {
    const win = () => platform.transact(alice, '5', { partnerTransactionId: 'win' })
    await platform.transact(alice, '-3', { partnerTransactionId: 'stake' })
    const undo = () => platform.rollBack(alice, 'stake', { partnerTransactionId: 'undo' })
    await losing(async () => {
      loseCall(Ledger.prototype, 'transact')
      expect((await win()).status).toBe(500)
      loseCall(Ledger.prototype, 'rollback')
      expect((await undo()).status).toBe(500)
    })
    const chips = BigInt(await alice.chips())
    for (const call of [win, undo, win, undo]) expect((await call()).status).toBe(200)
    expect(BigInt(await alice.chips())).toBe(chips + 8_000_000n)
  })

  it('stays prevented by a lost rollback if it never reached the ledger', async () => {
    const late = () => platform.transact(alice, '-3', { partnerTransactionId: 'late' })
    await losing(async () => {
      loseCall(Ledger.prototype, 'transact')
      expect((await late()).status).toBe(500)
      expect((await platform.rollBack(alice, 'late')).status).toBe(200)
    })
    const chips = await alice.chips()
    expect(codeOf(await late())).toBe('transaction_rolled_back')
    expect(await alice.chips()).toBe(chips)
  })

  it('stays used if it was carried out after the restore had asked for it', async () => {
    const win = () => platform.transact(alice, '5', { partnerTransactionId: 'win' })
    const standing = Reflect.get(Ledger.prototype, 'standing')
    let late: Promise<unknown> | undefined
    await losing(async () => {
      const transact = vi.spyOn(Ledger.prototype, 'transact')
      transact.mockRejectedValueOnce(new Error('the call is late'))
      expect((await win()).status).toBe(500)
      const [call] = transact.mock.calls[0] ?? []
      expect(call?.id).toBe('win')
      transact.mockRestore()
      vi.spyOn(Ledger.prototype, 'standing').mockImplementation(async function (
        this: Ledger,
        at,
        ids,
        entry,
      ) {
        const answer = await standing.call(this, at, ids, entry)
        // By a router that has not been able to read the modes.
        if (call && ids?.includes('bridge:demo:win')) late ??= this.transact(call)
        await late
        return answer
      })
    })
    expect(await late).toMatchObject({ ok: true, afterWei: await alice.chips() })
    expect((await win()).body.error.details).toEqual({ reason: 'answer_lost' })
  })

  it('stays used if the ledger had lost entries before and has grown past them', async () => {
    const win = () => platform.transact(alice, '5', { partnerTransactionId: 'win' })
    const state = await stateOf(alice.wallet)
    expect((await win()).status).toBe(200)
    pass(300_000)
    await ringLedger(alice)
    await bringBack(alice.wallet, state)
    const { nonce } = await alice.nextPlay()
    for (let play = 0; play < 4; play++) await alice.play({ nonce: nonce + play })
    const time = now()
    pass(1_000)
    await close()
    await goesBackTo(alice.wallet, await stateOf(alice.wallet))
    expect((await restore(`${alice.wallet}@${secondsOf(time)}`)).result?.isDone).toBe(true)
    await open()
    expect((await win()).body.error.details).toEqual({ reason: 'answer_lost' })
  })

  it('stays used if it was carried out after a restore that was given up, and lost by the next', async () => {
    const win = () => platform.transact(alice, '5', { partnerTransactionId: 'win' })
    const state = await stateOf(alice.wallet)
    const time = now()
    pass(1_000)
    for (let nonce = 2; nonce < 5; nonce++) await alice.play({ nonce })
    loseCall(Ledger.prototype, 'transact')
    expect((await win()).status).toBe(500)
    await close()
    await goesBackTo(alice.wallet, state)
    const refusal = refuse('withdrawal_pending', 'It has not ended.')
    vi.spyOn(Ledger.prototype, 'goOn').mockResolvedValueOnce(refusal)
    expect((await restore(`${alice.wallet}@${secondsOf(time)}`)).result?.isDone).toBe(false)
    await open()
    expect((await win()).status).toBe(200)
    await close()
    await goesBackTo(alice.wallet, state)
    expect((await restore(`${alice.wallet}@${secondsOf(time)}`)).result?.isDone).toBe(true)
    await open()
    expect((await win()).body.error.details).toEqual({ reason: 'answer_lost' })
  })

  it('stays rolled back if it was rolled back before it arrived', async () => {
    const late = () => platform.transact(alice, '-3', { partnerTransactionId: 'late' })
    loseCall(Ledger.prototype, 'transact')
    expect((await late()).status).toBe(500)
    expect((await platform.rollBack(alice, 'late')).status).toBe(200)
    await losing(async () => expect(codeOf(await late())).toBe('transaction_rolled_back'))
    expect(codeOf(await late())).toBe('transaction_rolled_back')
    expect((await platform.rollBack(alice, 'late')).status).toBe(200)
  })
})

describe('a ledger that the platform has restored', () => {
  it('is found even if it has more new entries than it has lost', async () => {
    const state = await stateOf(alice.wallet)
    for (let nonce = 2; nonce < 4; nonce++) await alice.play({ nonce })
    pass(300_000)
    await ringLedger(alice)
    await bringBack(alice.wallet, state)
    for (let nonce = 2; nonce < 6; nonce++) await alice.play({ nonce })
    pass(300_000)
    await ringLedger(alice)
    await ringLedger(alice)
    expect((await loggedOf('control')).at(-1)).toMatchObject({
      modes: { [`wallet:${alice.wallet}`]: 'closed' },
    })
  })
})
