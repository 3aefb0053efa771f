import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { control, ledger } from '../../src/calls/objects.ts'
import { isoTime } from '../../src/core/utc-day.ts'
import { MAX_LOST } from '../../src/ledger/restoration.ts'
import { LAST_KNOWN_MS, LEAD_MS } from '../../src/operator/modes.ts'
import { Ledger, TransparencyLog } from '../../src/worker.ts'
import { headOf } from './journals.ts'
import { bringBack, goesBackTo, stateOf } from './ledger-states.ts'
import { look, order, setModes } from './operator.ts'
import { Platform } from './partner.ts'
import { loggedOf } from './public-log.ts'
import {
  codeOf,
  endRound,
  fundedPlayer,
  now,
  openRound,
  outcomeOf,
  pass,
  Player,
  post,
  restart,
  ringLedger,
  useStories,
} from './support.ts'

useStories()

const platform = new Platform()

let alice: Player

const secondsOf = (unixMs: number) => isoTime(unixMs).replace(/\.\d+Z$/, 'Z')

const standing = async () => {
  const { seq, hash, balances } = await ledger(env, alice.wallet).standing(now())
  return { seq, hash, balances }
}

/** Closes the wallet and waits until no isolate can believe otherwise. */
async function close(): Promise<void> {
  await setModes(`wallet:${alice.wallet}=closed`)
  pass(LAST_KNOWN_MS)
}

async function open(): Promise<void> {
  await setModes(`wallet:${alice.wallet}=open`)
}

const restore = async (target: string) => (await order('restore', target)).body

/** What a player and a partner do after the time to which the ledger will go back. */
async function live(): Promise<void> {
  for (let nonce = 2; nonce < 7; nonce++) await alice.play({ nonce })
  const plan = await openRound({ min: 200, max: 400 })
  await alice.bet('5000000', { autoCashout: 1.5 })
  await endRound(plan)
  await alice.state()
  await platform.transact(alice, '-3', { partnerTransactionId: 'after' })
  pass(60_000)
}

/** Lives on, frozen and closed, until the ledger may go back to where it was. Returns that time and what it had. */
async function untilReturn() {
  const state = await stateOf(alice.wallet)
  const time = now()
  pass(1_000)
  await live()
  await order('freeze', alice.wallet)
  const before = await standing()
  await close()
  const goesBack = await goesBackTo(alice.wallet, state)
  return { target: `${alice.wallet}@${secondsOf(time)}`, before, goesBack }
}

beforeEach(async () => {
  alice = await fundedPlayer(0)
  for (let nonce = 0; nonce < 2; nonce++) await alice.play({ nonce })
  pass(60_000)
})

describe('a ledger that goes back in time', () => {
  it('keeps every chip, and uses no number, seed or id again', async () => {
    const state = await stateOf(alice.wallet)
    const time = now()
    const next = await alice.nextPlay()
    pass(1_000)
    await live()
    const before = await standing()
    const played = await alice.play({ nonce: 2 })
    await close()
    await goesBackTo(alice.wallet, state)
    const { act } = await restore(`${alice.wallet}@${secondsOf(time)}`)
    expect(act.result).toMatchObject({
      isDone: true,
      message: expect.stringContaining('the-bookmark-before'),
    })

    const after = await standing()
    expect(after.balances).toEqual(before.balances)
    expect(after.seq).toBeGreaterThan(before.seq)
    expect((await ledger(env, alice.wallet).verify()).ok).toBe(true)
    const logged = await loggedOf('control')
    expect(logged.filter(({ id }) => id.startsWith('restore'))).toEqual([
      {
        kind: 'control',
        id: `restore:${act.hash}`,
        wallet: alice.wallet,
        at: expect.any(Number),
        kept: { seq: expect.any(Number), hash: expect.any(String) },
        known: { seq: before.seq, hash: before.hash },
        goesOn: { seq: after.seq, hash: after.hash },
      },
    ])
    // The seed of the play that came next then has been disclosed since.
    expect(played.body.nonce).toBe(next.nonce)
    const drawn = await alice.nextPlay()
    expect(drawn.nonce).toBeGreaterThan(6)
    expect(drawn.seedHash).not.toBe(next.seedHash)

    expect(codeOf(await alice.play())).toBe('closed')
    await open()
    expect(codeOf(await alice.play({ nonce: 2 }))).toBe('idempotency_conflict')
    expect((await alice.play({ nonce: drawn.nonce })).body).toMatchObject({
      ok: true,
      seedHash: drawn.seedHash,
    })
  })

  it('moves nothing when a partner repeats or undoes what it has lost', async () => {
    const state = await stateOf(alice.wallet)
    const time = now()
    pass(1_000)
    await live()
    await close()
    await goesBackTo(alice.wallet, state)
    await restore(`${alice.wallet}@${secondsOf(time)}`)
    await open()
    const chips = await alice.chips()
    const repeated = await platform.transact(alice, '-3', { partnerTransactionId: 'after' })
    const lost = { code: 'idempotency_conflict', details: { reason: 'answer_lost' } }
    expect(repeated.body).toMatchObject({ error: lost })
    expect((await platform.rollBack(alice, 'after')).body).toMatchObject({ error: lost })
    expect(await alice.chips()).toBe(chips)
    // What is new is done as ever.
    expect((await platform.transact(alice, '-3')).status).toBe(200)
  })

  it('takes nothing until two operators open it, and stays frozen if it was', async () => {
    const { target } = await untilReturn()
    await restore(target)
    expect(outcomeOf(await alice.play())).toEqual([503, 'closed'])
    expect(codeOf(await platform.transact(alice, '1'))).toBe('closed')
    await open()
    expect(codeOf(await alice.play())).toBe('wallet_frozen')
  })

  it('goes back once and goes on once, whatever stops in between', async () => {
    const { target, before, goesBack } = await untilReturn()
    const stops = new Error('it stops')
    vi.spyOn(Ledger.prototype, 'goOn').mockRejectedValueOnce(stops)
    vi.spyOn(TransparencyLog.prototype, 'append').mockRejectedValueOnce(stops)
    vi.spyOn(Ledger.prototype, 'setFrozen').mockRejectedValueOnce(stops)
    const { act } = await restore(target)
    expect(act.result).toBeNull()
    for (let attempt = 0; attempt < 4; attempt++) {
      await restart()
      pass(60_000)
      await runDurableObjectAlarm(control(env))
    }
    const { decided } = (await look()).body.acts
    expect(decided[0].result).toMatchObject({ isDone: true })
    expect(goesBack).toHaveBeenCalledOnce()
    // The entry with which it goes on, and the freeze.
    expect(await standing()).toMatchObject({ seq: before.seq + 2, balances: before.balances })
    const logged = (await loggedOf('control')).filter(({ id }) => id.startsWith('restore'))
    const entries = await ledger(env, alice.wallet).journal(before.seq)
    const [goesOn] = JSON.parse(JSON.stringify(entries)) as { seq: number; hash: string }[]
    expect(logged).toMatchObject([{ goesOn: { seq: before.seq + 1, hash: goesOn?.hash } }])
  })

  it('stays restored if its wallet is opened before the freeze could be renewed', async () => {
    const { target } = await untilReturn()
    vi.spyOn(Ledger.prototype, 'setFrozen').mockRejectedValueOnce(new Error('it stops'))
    expect((await restore(target)).act.result).toBeNull()
    await open()
    pass(60_000)
    await runDurableObjectAlarm(control(env))
    const { decided } = (await look()).body.acts
    const restored = decided.find(({ act }: { act: string }) => act === 'restore')
    expect(restored.result).toMatchObject({ isDone: true })
    expect(codeOf(await alice.play())).toBe('wallet_frozen')
  })

  it('is named by the public log once that appends again, even if its wallet is open by then', async () => {
    const { target, before } = await untilReturn()
    const append = Reflect.get(TransparencyLog.prototype, 'append')
    const forked = vi.spyOn(TransparencyLog.prototype, 'append').mockImplementation(async function (
      this: TransparencyLog,
      entry,
    ) {
      if (entry.id.startsWith('restore:')) throw new Error('the log has forked')
      return append.call(this, entry)
    })
    const { act } = await restore(target)
    expect(act.result).toBeNull()
    await open()
    expect(codeOf(await alice.play())).toBe('wallet_frozen')
    forked.mockRestore()
    pass(60_000)
    await runDurableObjectAlarm(control(env))
    const { decided } = (await look()).body.acts
    const restored = decided.find(({ hash }: { hash: string }) => hash === act.hash)
    expect(restored.result).toEqual({
      isDone: true,
      message: expect.stringContaining('The journal resumes at entry'),
    })
    expect((await loggedOf('control')).at(-1)).toMatchObject({
      id: `restore:${act.hash}`,
      known: { seq: before.seq, hash: before.hash },
      goesOn: { seq: before.seq + 1 },
    })
    await close()
    expect((await restore(alice.wallet)).act.result).toMatchObject({
      isDone: false,
      message: expect.stringContaining('has every entry'),
    })
  })

  it('goes back only once its wallet has been closed for five minutes', async () => {
    const target = `${alice.wallet}@${secondsOf(now() - 30_000)}`
    const refused = async () => (await restore(target)).error?.message
    expect(await refused()).toContain('Close the wallet and wait five minutes')
    await setModes(`wallet:${alice.wallet}=closed`)
    pass(LAST_KNOWN_MS - 1)
    expect(await refused()).toContain('Close the wallet and wait five minutes')
    await open()
    pass(LAST_KNOWN_MS)
    expect(await refused()).toContain('Close the wallet and wait five minutes')
  })

  it.each(['2026-02-30T25:00:00Z', '2020-01-01T00:00:00Z', '2090-12-31T00:00:00Z'])(
    'does not go back to %s',
    async (time) => {
      await close()
      const { error } = await restore(`${alice.wallet}@${time}`)
      expect(error.message).toContain('within the last thirty days')
    },
  )

  it('stays as it is if the platform can’t bring it back, or while a game is open', async () => {
    const before = await standing()
    await close()
    const target = `${alice.wallet}@${secondsOf(now() - 1_000)}`
    // The local runtime has no point-in-time recovery.
    expect((await restore(target)).act.result).toMatchObject({
      isDone: false,
      message: expect.stringContaining("The ledger can't go back"),
    })
    expect(await standing()).toEqual(before)
    await open()
    await post('/api/entropy', {
      action: 'mines-open',
      wallet: alice.wallet,
      authSig: await alice.authSig(),
      token: 'USDG',
      amountWei: '1000000',
      params: { mines: 1 },
    })
    await close()
    expect((await restore(target)).act.result).toMatchObject({
      isDone: false,
      message: expect.stringContaining('in play'),
    })
  })
})

describe('a ledger that the platform has restored', () => {
  it('is found by D1’s position, and goes on from there', async () => {
    const state = await stateOf(alice.wallet)
    await live()
    pass(300_000)
    await ringLedger(alice)
    const before = await standing()
    await bringBack(alice.wallet, state)
    expect((await standing()).seq).toBeLessThan(before.seq)
    await close()
    const { act } = await restore(alice.wallet)
    expect(act.result).toMatchObject({ isDone: true })
    const after = await standing()
    expect(after.balances).toEqual(before.balances)
    // What D1 had not heard of yet may have been there, too.
    expect(after.seq).toBeGreaterThan(before.seq + 2_000)
    expect((await headOf(ledger(env, alice.wallet))).nextPlay?.nonce).toBeGreaterThan(2_000)
    await open()
    expect((await alice.play()).status).toBe(200)
  })

  it('has its wallet closed as soon as it sends D1 its position', async () => {
    const state = await stateOf(alice.wallet)
    await live()
    pass(300_000)
    await ringLedger(alice)
    await bringBack(alice.wallet, state)
    await alice.play()
    pass(300_000)
    await ringLedger(alice)
    // D1 has refused the position.
    await ringLedger(alice)
    pass(LEAD_MS)
    expect(outcomeOf(await alice.play())).toEqual([503, 'closed'])
    expect((await loggedOf('control')).at(-1)).toMatchObject({
      modes: { [`wallet:${alice.wallet}`]: 'closed' },
    })
    pass(LAST_KNOWN_MS)
    expect((await restore(alice.wallet)).act.result).toMatchObject({ isDone: true })
    await open()
    expect((await alice.play()).status).toBe(200)
  })

  it('that has everything is left alone', async () => {
    pass(300_000)
    await ringLedger(alice)
    await close()
    expect((await restore(alice.wallet)).act.result).toMatchObject({
      isDone: false,
      message: expect.stringContaining('has every entry'),
    })
  })

  it('that has lost too much is left alone', async () => {
    await env.DB.prepare('UPDATE ledger_positions SET version = ?')
      .bind(2 * MAX_LOST)
      .run()
    pass(300_000)
    await ringLedger(alice)
    await env.DB.prepare('UPDATE ledger_positions SET version = ?')
      .bind(2 * MAX_LOST)
      .run()
    await close()
    expect((await restore(alice.wallet)).act.result).toMatchObject({
      isDone: false,
      message: expect.stringContaining('would be lost'),
    })
  })
})
