import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Ledger } from '../../durable-objects/ledger.ts'
import { control, ledger } from '../../src/calls/objects.ts'
import { refuse } from '../../src/core/refusal.ts'
import { isoTime } from '../../src/core/utc-day.ts'
import { LAST_KNOWN_MS } from '../../src/operator/modes.ts'
import { bringBack, goesBackTo, stateOf } from './ledger-states.ts'
import { look, order, setModes } from './operator.ts'
import { Platform } from './partner.ts'
import { loggedOf } from './public-log.ts'
import { fundedPlayer, now, pass, type Player, ringLedger, useStories } from './support.ts'

useStories()

const platform = new Platform()

type State = Awaited<ReturnType<typeof stateOf>>

let alice: Player
/** What the ledger had before the partner's win, and then. */
let early: State
let chips: string

const win = () => platform.transact(alice, '5', { partnerTransactionId: 'win' })

const standing = () => ledger(env, alice.wallet).standing(now())

const atSecond = () => `${alice.wallet}@${isoTime(now()).replace(/\.\d+Z$/, 'Z')}`

async function playOn(count: number): Promise<number> {
  const { nonce } = await alice.nextPlay()
  for (let play = 0; play < count; play++) await alice.play({ nonce: nonce + play })
  return nonce + count - 1
}

/** Has D1 hear of the ledger's latest entry, if the ledger has what D1 knows. */
async function project(): Promise<void> {
  pass(300_000)
  await ringLedger(alice)
}

async function close(): Promise<void> {
  await setModes(`wallet:${alice.wallet}=closed`)
  pass(LAST_KNOWN_MS)
}

const open = () => setModes(`wallet:${alice.wallet}=open`)

const restore = async (target: string = alice.wallet) => (await order('restore', target)).body.act

const isWhole = { isDone: false, message: expect.stringContaining('has every entry') }

/** Has the next restore refused after the return. */
function giveUp() {
  vi.spyOn(Ledger.prototype, 'goOn').mockResolvedValueOnce(refuse('closed', 'It can’t go on.'))
}

beforeEach(async () => {
  alice = await fundedPlayer(0)
  for (let nonce = 0; nonce < 2; nonce++) await alice.play({ nonce })
  await project()
  early = await stateOf(alice.wallet)
  expect((await win()).status).toBe(200)
  chips = await alice.chips()
})

describe('a ledger that the platform has restored, and that has grown past what D1 knows', () => {
  let lastPlayed: number

  beforeEach(async () => {
    await project()
    await bringBack(alice.wallet, early)
    lastPlayed = await playOn(6)
    await project()
  })

  it('has its wallet closed, because D1 has another entry', async () => {
    await ringLedger(alice)
    expect((await look()).body.acts.decided[0]).toMatchObject({
      act: 'mode',
      reason: expect.stringContaining('The ledger ends at entry 9, but D1 has another entry 4.'),
    })
  })

  it('goes on with what D1 knows', async () => {
    await close()
    expect((await restore()).result).toMatchObject({
      isDone: true,
      message: expect.stringContaining('ended at entry 9, and lacked the last known one, 4.'),
    })
    await open()
    expect(await alice.chips()).toBe(chips)
    expect((await win()).body.error.details).toEqual({ reason: 'answer_lost' })
    expect((await alice.nextPlay()).nonce).toBeGreaterThan(lastPlayed)
  })

  it('goes on with what D1 knows, above its own numbers, if it goes back, too', async () => {
    const later = await stateOf(alice.wallet)
    pass(1_000)
    const target = atSecond()
    pass(1_000)
    lastPlayed = await playOn(2)
    const { seq } = await standing()
    await close()
    await goesBackTo(alice.wallet, later)
    expect((await restore(target)).result).toMatchObject({ isDone: true })
    expect((await loggedOf('control')).at(-1)).toMatchObject({ known: { seq, hash: null } })
    await open()
    expect(await alice.chips()).toBe(chips)
    expect((await win()).body.error.details).toEqual({ reason: 'answer_lost' })
    expect((await standing()).seq).toBeGreaterThan(seq + 2_000)
    expect((await alice.nextPlay()).nonce).toBeGreaterThan(lastPlayed + 2_000)
  })

  it('forgets what partners did since, if it goes back to before that', async () => {
    const debit = () => platform.transact(alice, '-3', { partnerTransactionId: 'debit' })
    expect((await debit()).status).toBe(200)
    const target = atSecond()
    pass(1_000)
    await close()
    await goesBackTo(alice.wallet, early)
    expect((await restore(target)).result).toMatchObject({ isDone: true })
    await open()
    for (const { body } of [await debit(), await platform.rollBack(alice, 'debit')])
      expect(body.error.details).toEqual({ reason: 'answer_lost' })
    expect(await alice.chips()).toBe(chips)
  })

  it('needs no second restore, whatever D1 has until it hears of the first', async () => {
    await close()
    expect((await restore()).result).toMatchObject({ isDone: true })
    expect((await restore()).result).toMatchObject(isWhole)
  })
})

describe('a ledger that has what D1 knows goes by itself', () => {
  it('if D1 was restored to an earlier entry', async () => {
    const position = await env.DB.prepare('SELECT * FROM ledger_positions').all()
    await project()
    await playOn(3)
    for (const row of position.results) {
      await env.DB.prepare(
        'UPDATE ledger_positions SET version = ?, head_hash = ?, accounts = ? WHERE wallet = ? AND token = ?',
      )
        .bind(row['version'], row['head_hash'], row['accounts'], row['wallet'], row['token'])
        .run()
    }
    const { balances } = await standing()
    await close()
    expect((await restore()).result).toMatchObject(isWhole)
    await goesBackTo(alice.wallet, await stateOf(alice.wallet))
    const target = atSecond()
    pass(1_000)
    expect((await restore(target)).result).toMatchObject({ isDone: true })
    expect((await standing()).balances).toEqual(balances)
  })

  it('if it got back what only D1 had known in a restore that was given up', async () => {
    await project()
    const whole = await stateOf(alice.wallet)
    await bringBack(alice.wallet, early)
    await close()
    giveUp()
    expect((await restore()).result).toMatchObject({ isDone: false })
    await bringBack(alice.wallet, whole)
    await open()
    await playOn(3)
    await close()
    expect((await restore()).result).toMatchObject(isWhole)
  })

  it('if it can’t be reached at first', async () => {
    await project()
    await playOn(3)
    await close()
    const unreachable = Object.assign(new Error('It is overloaded.'), { overloaded: true })
    vi.spyOn(Ledger.prototype, 'standing').mockRejectedValueOnce(unreachable)
    const { hash, result } = await restore()
    expect(result).toBeNull()
    pass(60_000)
    await runDurableObjectAlarm(control(env))
    const { decided } = (await look()).body.acts
    expect(decided.find((act: { hash: string }) => act.hash === hash).result).toMatchObject(isWhole)
  })
})

describe('what was known before a restore that was given up', () => {
  beforeEach(async () => {
    pass(1_000)
    const target = atSecond()
    const { seq } = await standing()
    await close()
    await goesBackTo(alice.wallet, early)
    giveUp()
    expect((await restore(target)).result).toMatchObject({ isDone: false })
    expect((await standing()).seq).toBeLessThan(seq + 1)
    await open()
  })

  it('stands although D1 has heard of later entries since', async () => {
    await playOn(3)
    await project()
    await close()
    expect((await restore()).result).toMatchObject({ isDone: true })
    expect(await alice.chips()).toBe(chips)
  })

  it('stands, and no number that was used since is used again', async () => {
    pass(1_000)
    const target = atSecond()
    pass(1_000)
    const lastPlayed = await playOn(8)
    const { seq, hash } = await standing()
    await close()
    await goesBackTo(alice.wallet, early)
    expect((await restore(target)).result).toMatchObject({ isDone: true })
    expect((await loggedOf('control')).at(-1)).toMatchObject({ known: { seq, hash } })
    await open()
    expect(await alice.chips()).toBe(chips)
    expect((await alice.nextPlay()).nonce).toBeGreaterThan(lastPlayed)
  })
})
