import { beforeEach, describe, expect, it, vi } from 'vitest'
import { DAY_MS } from '../../src/core/utc-day.ts'
import { changeConfig } from './configuration.ts'
import { ask, DOLLAR, DONE, limitsOf, REACHED } from './limits.ts'
import { Platform } from './partner.ts'
import {
  endRound,
  fundedPlayer,
  now,
  openRound,
  outcomeOf,
  pass,
  Player,
  restart,
  setTime,
  useStories,
} from './support.ts'

useStories()

const EXCLUDED = [403, 'excluded']
const platform = new Platform()

beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
})

describe('an excluded player', () => {
  it('can neither bet nor play nor be debited, in any game', async () => {
    const alice = await fundedPlayer(0)
    await openRound()
    const { body } = await ask(alice, 'exclude', { days: 1 })
    expect(body).toMatchObject({ excluded: true, excludedUntil: now() + DAY_MS })
    await restart()
    expect(outcomeOf(await alice.bet(DOLLAR))).toEqual(EXCLUDED)
    expect(outcomeOf(await alice.play())).toEqual(EXCLUDED)
    const debit = await platform.transact(alice, '-1')
    expect([outcomeOf(debit), debit.body.error.details.until]).toEqual([EXCLUDED, now() + DAY_MS])
    // The partner reads it.
    expect(debit.body.error.message).toMatch(/^The player has excluded themselves from play until /)
    pass(DAY_MS)
    expect(outcomeOf(await alice.play())).toEqual(DONE)
    expect(await limitsOf(alice)).toMatchObject({ excluded: false, excludedUntil: null })
  })

  it('is still paid for an open bet, and by partners', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 300, max: 600 })
    await alice.bet(DOLLAR)
    await platform.transact(alice, '-5', { partnerTransactionId: 'spin' })
    await ask(alice, 'exclude', { days: null })
    expect(await limitsOf(alice)).toMatchObject({ excluded: true, excludedUntil: null })
    setTime(plan.flightAt + 11_553)
    expect((await alice.cashout()).body).toMatchObject({ payout: '2000000' })
    expect(outcomeOf(await platform.transact(alice, '3'))).toEqual(DONE)
    expect(outcomeOf(await platform.rollBack(alice, 'spin'))).toEqual(DONE)
    await endRound(plan)
    expect(await alice.chips()).toBe('1004000000')
  })

  it('stays so, whatever shorter exclusion they ask for, until the latest end', async () => {
    const alice = new Player(0)
    await ask(alice, 'exclude', { days: 30 })
    const until = now() + 30 * DAY_MS
    expect((await ask(alice, 'exclude', { days: 1 })).body.excludedUntil).toBe(until)
    expect((await ask(alice, 'remove', { kind: 'exclusion' })).body.excludedUntil).toBe(until)
    await ask(alice, 'exclude', { days: null })
    pass(29 * DAY_MS)
    const asked = await ask(alice, 'remove', { kind: 'exclusion' })
    expect(asked.body.excludedUntil).toBe(now() + 7 * DAY_MS)
  })
})

describe('a limit of playing time', () => {
  it('ends a session, and a new one begins after a break as far as minutes are left', async () => {
    const alice = await fundedPlayer(0)
    await ask(alice, 'set', { kind: 'session', window: 'day', minutes: 20 })
    await alice.play()
    const startedAt = now()
    pass(15 * 60_000)
    expect(outcomeOf(await alice.play())).toEqual(DONE)
    pass(6 * 60_000)
    const refused = await alice.play()
    expect(outcomeOf(refused)).toEqual(REACHED)
    expect(refused.body.error.message).toContain('20 minutes of play in 24 hours')
    const { limits, session } = await limitsOf(alice)
    expect(limits).toMatchObject([{ used: '16' }])
    expect(session).toMatchObject({ startedAt, wagered: { USDG: '2000000' } })
    const { resetsAt } = refused.body.error.details
    setTime(resetsAt - 1)
    expect(outcomeOf(await alice.play())).toEqual(REACHED)
    setTime(resetsAt)
    expect(outcomeOf(await alice.play())).toEqual(DONE)
  })
})

describe('playing time', () => {
  it('counts from the session in which the player first sets anything, and none before it', async () => {
    const alice = await fundedPlayer(0)
    await alice.play()
    pass(40 * 60_000)
    await alice.play()
    pass(15 * 60_000)
    await alice.play()
    await ask(alice, 'reality-check', { minutes: 60 })
    const { body } = await ask(alice, 'set', { kind: 'session', window: 'day', minutes: 20 })
    expect(body.limits).toMatchObject([{ used: '16' }])
    await restart()
    pass(5 * 60_000)
    expect(outcomeOf(await alice.play())).toEqual(REACHED)
    pass(25 * 60_000)
    expect((await limitsOf(alice)).limits).toMatchObject([{ used: '16' }])
  })

  it('counts from nothing if the player sets something between two sessions', async () => {
    const alice = await fundedPlayer(0)
    await alice.play()
    pass(30 * 60_000)
    const { body } = await ask(alice, 'set', { kind: 'session', window: 'day', minutes: 20 })
    expect(body.limits).toMatchObject([{ used: '0' }])
  })
})

describe('a deployment with a minimum time between plays', () => {
  it('refuses a play that comes sooner, but repeats one that was made', async () => {
    changeConfig({ minPlayMs: 2_500 })
    const alice = await fundedPlayer(0)
    const first = await alice.play({ nonce: 0 })
    const from = now() + 2_500
    pass(1_000)
    await platform.transact(alice, '-1')
    pass(1_499)
    const refused = await alice.play({ nonce: 1 })
    expect(outcomeOf(refused)).toEqual([409, 'too_early'])
    expect(refused.body.error.details).toEqual({ from })
    expect((await alice.play({ nonce: 0 })).body.seed).toBe(first.body.seed)
    pass(1)
    expect(outcomeOf(await alice.play({ nonce: 1 }))).toEqual(DONE)
  })
})

describe('the current session', () => {
  it('shows stakes and the result since its first stake, also without limits', async () => {
    const alice = await fundedPlayer(0)
    await alice.play()
    pass(31 * 60_000)
    await openRound()
    const startedAt = now()
    await alice.bet('3000000')
    await platform.transact(alice, '-2')
    expect((await limitsOf(alice)).session).toEqual({
      startedAt,
      wagered: { ETH: '0', USDG: '5000000' },
      net: { ETH: '0', USDG: '-5000000' },
    })
    await ask(alice, 'reality-check', { minutes: 30 })
    expect(await limitsOf(alice)).toMatchObject({ realityCheckMinutes: 30, session: { startedAt } })
    pass(30 * 60_000)
    expect((await limitsOf(alice)).session.startedAt).toBeNull()
  })
})
