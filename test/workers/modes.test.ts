import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { LoggedVersions } from '../../durable-objects/control/logged-versions.ts'
import { control, crashTable, health, transparencyLog } from '../../src/calls/objects.ts'
import { LAST_KNOWN_MS, LEAD_MS, READ_AGE_MS } from '../../src/operator/modes.ts'
import { nextVersion, versionEntry, type ModesVersion } from '../../src/operator/versions.ts'
import { Control, CrashTable, TransparencyLog } from '../../src/worker.ts'
import { SOON } from '../shared/soon.ts'
import { actOf, look, OPERATORS, order, setModes, signAct } from './operator.ts'
import { Platform } from './partner.ts'
import { loggedOf } from './public-log.ts'
import {
  codeOf,
  endRound,
  fundedPlayer,
  get,
  now,
  openRound,
  outcomeOf,
  pass,
  Player,
  post,
  restart,
  ringRound,
  ringTable,
  useStories,
  watch,
  type Answer,
} from './support.ts'

useStories()

const STAKE = '1000000'
/** How long control waits for the public log. */
const LOG_ANSWER_MS = 1_000

let alice: Player

beforeEach(async () => {
  alice = await fundedPlayer(0)
})

async function mines(action: string, fields: object): Promise<Answer> {
  const signed = { wallet: alice.wallet, authSig: await alice.authSig() }
  return post('/api/entropy', { action: `mines-${action}`, ...signed, ...fields })
}

const openMines = () => mines('open', { token: 'USDG', amountWei: STAKE, params: { mines: 1 } })

async function newest(): Promise<ModesVersion> {
  return (await get('/api/operate?action=modes')).body.version
}

/** Makes Control unreachable for its readers. */
function loseControl(): void {
  vi.spyOn(Control.prototype, 'modes').mockRejectedValue(new Error('control does not answer'))
}

/** Lets control's wait for the public log expire at once. */
function expireLogWait() {
  const set = globalThis.setTimeout
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const expire = (call: () => void, ms?: number) => set(call, ms === LOG_ANSWER_MS ? 0 : ms)
  timers.mockImplementation(expire)
  return timers
}

/** Restores control to the time before its first version. @param acts what happens to the acts */
async function restoreControl(acts = 'DELETE FROM acts; DELETE FROM journal'): Promise<void> {
  await runInDurableObject(control(env), (_, { storage }) => {
    storage.sql.exec(`DELETE FROM versions; DELETE FROM published; DELETE FROM outbox; ${acts}`)
  })
  await restart()
}

describe('an operator’s switch', () => {
  const bets: [string, (platform: Platform) => Promise<Answer>][] = [
    ['a bet', () => alice.bet(STAKE)],
    ['a play', () => alice.play()],
    ['a game', () => openMines()],
    ['a debit', (platform) => platform.transact(alice, '-1')],
    ['a credit', (platform) => platform.transact(alice, '1')],
  ]

  it.each<[string, (string | null)[]]>([
    ['all=open', [null, null, null, null, null]],
    ['crash=draining', ['closed', null, null, null, null]],
    ['limbo=draining', [null, 'closed', null, null, null]],
    ['mines=draining', [null, null, 'closed', null, null]],
    ['token:ETH=closed', [null, null, null, null, null]],
    ['token:USDG=draining', ['closed', 'closed', 'closed', 'closed', null]],
    ['partner:demo-two=closed', [null, null, null, null, null]],
    ['partner:demo=draining', [null, null, null, 'closed', null]],
    ['partner:demo=closed', [null, null, null, 'closed', 'closed']],
    ['withdrawals=closed', [null, null, null, null, null]],
    ['all=draining', ['closed', 'closed', 'closed', 'closed', null]],
    ['all=closed', ['closed', 'closed', 'closed', 'closed', 'closed']],
  ])('%s: a bet, play, game, debit and credit get %j', async (target, codes) => {
    await setModes(target)
    await openRound().catch(() => {})
    const platform = new Platform()
    const answers: (string | null)[] = []
    for (const [, call] of bets) answers.push(codeOf(await call(platform)) ?? null)
    expect(answers).toEqual(codes)
  })

  it('repeats what was answered before, whatever is closed now', async () => {
    const first = await alice.play({ nonce: 0 })
    await openRound()
    const bet = await alice.bet(STAKE)
    await setModes('all=closed')
    expect((await alice.play({ nonce: 0 })).body.seed).toEqual(first.body.seed)
    expect(bet.status).toBe(200)
  })

  it.each([
    ['roulette=closed', 'There is no switch roulette'],
    ['crash=closed,crash=open', 'Name each switch once'],
  ])('%s is refused before anyone signs in vain', async (target, message) => {
    const { status, body } = await order('mode', target)
    expect([status, body.error.code]).toEqual([400, 'invalid_request'])
    expect(body.error.message).toContain(message)
    expect(await newest()).toBeNull()
  })

  it('is in the public log as a chain, and public', async () => {
    await setModes('crash=draining')
    const { body } = await order('mode', 'crash=open,withdrawals=closed')
    const version = await newest()
    expect(version).toMatchObject({ number: 2, modes: { withdrawals: 'closed' } })
    const logged = await loggedOf('control')
    expect(logged.map(({ id }) => id)).toEqual(['1', '2'])
    expect(logged[1]).toEqual(versionEntry(version, body.act.hash))
    expect(logged[0]?.['hash']).toBe(version.prevHash)
  })

  it('is read once a second for all callers, and immediately after an act', async () => {
    const read = vi.spyOn(Control.prototype, 'newestModes')
    for (let reader = 0; reader < 5; reader++) expect(await newest()).toBeNull()
    expect(read).toHaveBeenCalledTimes(1)
    await order('mode', 'mines=closed')
    expect(await newest()).toMatchObject({ number: 1 })
    pass(1_000)
    await newest()
    expect(read).toHaveBeenCalledTimes(3)
  })

  it('is shown with the game and the lootbox before it takes effect', async () => {
    await order('mode', 'keno=closed')
    pass(READ_AGE_MS)
    expect((await get('/api/entropy')).body.modes).toEqual({
      mines: 'open',
      limbo: 'open',
      plinko: 'open',
      keno: 'closed',
    })
  })

  it('is set once if its object stops between the act and its answer', async () => {
    const lost = new Error('the table does not answer')
    vi.spyOn(CrashTable.prototype, 'takeModes').mockRejectedValueOnce(lost)
    const { body } = await order('mode', 'all=draining')
    expect(body.act.result).toBeNull()
    await restart()
    pass(LEAD_MS)
    await runDurableObjectAlarm(control(env))
    expect(await newest()).toMatchObject({ number: 1, modes: { all: 'draining' } })
    expect(codeOf(await alice.play())).toBe('closed')
    expect((await loggedOf('control')).map(({ id }) => id)).toEqual(['1'])
    expect((await watch()).mode).toBe('draining')
  })

  it('stays as ordered last, even if the order before it was delayed', async () => {
    vi.spyOn(LoggedVersions.prototype, 'catchUp').mockRejectedValueOnce(new Error('no answer'))
    const { body } = await order('mode', 'limbo=closed,keno=draining')
    expect(body.act).toMatchObject({ decidedAt: now(), result: null })
    pass(1_000)
    await order('mode', 'limbo=open')
    pass(60_000)
    await runDurableObjectAlarm(control(env))
    expect(await newest()).toMatchObject({ number: 2, modes: { keno: 'draining' } })
    expect((await newest()).modes).not.toHaveProperty('limbo')
    expect((await post('/api/operate', await signAct(body.act))).body.act.result).toMatchObject({
      isDone: true,
    })
  })

  it('holds for a table that was restored to a time before it was set', async () => {
    const plan = await openRound({ max: 600 })
    await endRound(plan)
    await setModes('crash=closed')
    await runInDurableObject(crashTable(env), (_, { storage }) => {
      storage.sql.exec('DELETE FROM told_modes')
    })
    await restart()
    pass(60_000)
    expect(await watch()).toMatchObject({ roundId: plan.roundId, mode: 'closed' })
  })

  it('holds as it is for a table that starts while control can’t be reached', async () => {
    const plan = await openRound({ max: 600 })
    await endRound(plan)
    await setModes('crash=closed')
    loseControl()
    await restart()
    pass(60_000)
    expect(await watch()).toMatchObject({ roundId: plan.roundId, mode: 'closed' })
  })

  it('holds after control was restored to a time before it, and later ones follow it', async () => {
    await setModes('limbo=closed')
    const before = await newest()
    await setModes('keno=closed')
    await restoreControl()
    pass(LAST_KNOWN_MS)
    expect(codeOf(await alice.play())).toBe('closed')
    expect(await newest()).toMatchObject({ number: 2, modes: { keno: 'closed', limbo: 'closed' } })
    await setModes('limbo=open')
    expect((await alice.play()).status).toBe(200)
    const logged = await loggedOf('control')
    expect(logged.map(({ id }) => id)).toEqual(['1', '2', '3'])
    expect(logged[0]?.['hash']).toBe(before.hash)
  })

  it.each([
    ['has forgotten the act', undefined, 0],
    ['has its signatures only', 'UPDATE acts SET decided_at = NULL, result = NULL', 2],
  ])('is not set again by a repeated act after control %s', async (_, acts, signatures) => {
    await setModes('withdrawals=closed')
    const fields = actOf({ target: 'withdrawals=open' })
    const opening = await signAct(fields)
    const confirming = await signAct(fields, OPERATORS.treasurer)
    await post('/api/operate', opening)
    const { hash, result } = (await post('/api/operate', confirming)).body.act
    await setModes('withdrawals=closed')
    const version = await newest()
    await restoreControl(acts)
    pass(1_000)
    expect(await newest()).toEqual(version)
    for (const repeated of [opening, confirming]) await post('/api/operate', repeated)
    const { act } = (await post('/api/operate', confirming)).body
    expect(act).toMatchObject({ target: 'withdrawals=open', result })
    expect(await newest()).toEqual(version)
    const { entries } = (await look('?action=journal')).body
    expect(entries.filter((entry: { actHash: string }) => entry.actHash === hash)).toHaveLength(
      signatures,
    )
  })

  it('is taken from a slow public log once it answers, and only the first reader waits', async () => {
    await setModes('limbo=closed')
    await restoreControl()
    const logged = await transparencyLog(env).find('control', '1')
    let answer = (_found: typeof logged) => {}
    const late = new Promise<typeof logged>((resolve) => (answer = resolve))
    const searches = vi.spyOn(TransparencyLog.prototype, 'find').mockReturnValueOnce(late)
    const timers = expireLogWait()
    for (let reader = 1; reader <= 3; reader++) expect(await newest()).toBeNull()
    expect(searches).toHaveBeenCalledTimes(1)
    expect(timers.mock.calls.filter(([, ms]) => ms === LOG_ANSWER_MS)).toHaveLength(1)
    answer(logged)
    await vi.waitFor(async () => {
      expect(await newest()).toMatchObject({ number: 1, modes: { limbo: 'closed' } })
    }, SOON)
  })

  it('is taken from the public log after a search that failed too late for its readers', async () => {
    await setModes('limbo=closed')
    await restoreControl()
    let fail = (_fault: Error) => {}
    const late = new Promise<never>((_, reject) => (fail = reject))
    vi.spyOn(TransparencyLog.prototype, 'find').mockReturnValueOnce(late)
    expireLogWait()
    expect(await newest()).toBeNull()
    fail(new Error('no answer'))
    await vi.waitFor(async () => {
      expect(await newest()).toMatchObject({ number: 1, modes: { limbo: 'closed' } })
    }, SOON)
  })

  it('reaches the table after control was restored while the public log did not answer', async () => {
    await endRound(await openRound({ max: 600 }))
    await setModes('lootbox=closed')
    await setModes('keno=closed')
    await restoreControl()
    vi.spyOn(TransparencyLog.prototype, 'find').mockRejectedValue(new Error('no answer'))
    await order('mode', 'crash=closed')
    expect(await newest()).toMatchObject({ number: 1 })
    pass(LEAD_MS)
    const { roundId } = await watch()
    // Longer than any flight.
    for (const minutes of [5, 10]) {
      pass(minutes * 60_000)
      await ringRound(roundId)
      await ringTable()
      expect(await watch()).toMatchObject({ roundId, phase: 'results', mode: 'closed' })
    }
  })

  it('is not done while the public log has another version of its number', async () => {
    const other = versionEntry(nextVersion(null, { modes: { lootbox: 'closed' } }, now()), '0x')
    expect(await newest()).toBeNull()
    await transparencyLog(env).append(other)
    const { body } = await order('mode', 'limbo=closed')
    expect(body.act).toMatchObject({ decidedAt: expect.any(Number), result: null })
    expect(await loggedOf('control')).toEqual([other])
    // It holds all the same.
    pass(LEAD_MS)
    expect(codeOf(await alice.play())).toBe('closed')
  })

  it('that can’t be passed on is counted among the stuck messages', async () => {
    vi.spyOn(CrashTable.prototype, 'takeModes').mockRejectedValue(new Error('no answer'))
    await order('mode', 'all=draining')
    for (let attempt = 1; attempt <= 5; attempt++) {
      pass(60_000)
      await runDurableObjectAlarm(control(env))
    }
    await vi.waitFor(async () => {
      pass(10_000)
      expect((await health(env).facts()).stuck).toMatchObject({ objects: 1, messages: 1 })
    }, SOON)
  })
})

describe('while control can’t be reached', () => {
  it('what was known last holds for five minutes, and then no stakes are taken', async () => {
    await alice.play()
    await openMines()
    loseControl()
    pass(LAST_KNOWN_MS - 1)
    expect((await alice.play({ nonce: 2 })).status).toBe(200)
    pass(1)
    expect(outcomeOf(await alice.play({ nonce: 3 }))).toEqual([503, 'closed'])
    // What is open goes on.
    expect((await mines('pick', { nonce: 1, tile: 0 })).status).toBe(200)
  })

  it('a switch that was known last stays as it is', async () => {
    await setModes('limbo=closed')
    expect(codeOf(await alice.play())).toBe('closed')
    loseControl()
    pass(60_000)
    expect(codeOf(await alice.play())).toBe('closed')
  })
})
