import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { hasTable } from '../../durable-objects/kernel/migrations.ts'
import { ledger } from '../../src/calls/objects.ts'
import { DAY_MS, HOUR_MS } from '../../src/core/utc-day.ts'
import { MAX_FREE_ENTRIES } from '../../src/ledger/capacity.ts'
import { lineOf } from '../../src/ledger/segment.ts'
import { TOKENS } from '../../src/money/token.ts'
import { LIMIT_KINDS, LIMIT_WINDOWS } from '../../src/protection/limit.ts'
import { archived, grow, play, useShortSegments } from './archive.ts'
import { costsOf } from './costs.ts'
import { entriesOf } from './journals.ts'
import { ask, DAILY, DOLLAR, DONE, limitsOf, REACHED, setLimit } from './limits.ts'
import { grant, Platform, revoke } from './partner.ts'
import {
  endRound,
  fundedPlayer,
  get,
  isBlankObject,
  now,
  openRound,
  outcomeOf,
  pass,
  Player,
  post,
  restart,
  ringLedger,
  rowsOf,
  setTime,
  useStories,
} from './support.ts'

useStories()

const platform = new Platform()

/** What every limit of an amount counts. */
function everyLimit() {
  return LIMIT_KINDS.filter((kind) => kind !== 'session').flatMap((kind) =>
    LIMIT_WINDOWS.flatMap((window) => TOKENS.map((token) => [kind, window, token] as const)),
  )
}

beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
})

describe('a wager limit', () => {
  it('lets stakes pass up to it, and again once enough of them have left the window', async () => {
    const alice = await fundedPlayer(0)
    await setLimit(alice, 'wager', '2500000')
    await alice.play()
    const firstAt = now()
    pass(HOUR_MS)
    await alice.play()
    const refused = await alice.play()
    expect(outcomeOf(refused)).toEqual(REACHED)
    expect(refused.body.error.details).toEqual({
      resetsAt: firstAt + DAY_MS,
      kind: 'wager',
      window: 'day',
      token: 'USDG',
      left: '500000',
    })
    expect(outcomeOf(await alice.play({ amountWei: '500000' }))).toEqual(DONE)
    expect((await alice.play({ amountWei: '2500001' })).body.error.details.resetsAt).toBeNull()
    setTime(firstAt + DAY_MS - 1)
    expect(outcomeOf(await alice.play())).toEqual(REACHED)
    setTime(firstAt + DAY_MS)
    expect(outcomeOf(await alice.play())).toEqual(DONE)
  })

  it('counts what was staked before it was set', async () => {
    const alice = await fundedPlayer(0)
    await alice.play()
    const { body } = await setLimit(alice, 'wager', DOLLAR)
    expect(body.limits).toEqual([
      {
        kind: 'wager',
        ...DAILY,
        amountWei: DOLLAR,
        minutes: null,
        from: now(),
        pending: null,
        used: DOLLAR,
      },
    ])
    expect(outcomeOf(await alice.play())).toEqual(REACHED)
  })

  it('answers a play that was made before as it did', async () => {
    const alice = await fundedPlayer(0)
    const played = await alice.play({ nonce: 0 })
    await setLimit(alice, 'wager', '0')
    await ask(alice, 'exclude', { days: 1 })
    expect((await alice.play({ nonce: 0 })).text).toBe(played.text)
  })
})

describe('a loss limit', () => {
  it('counts an open bet as lost until it has won', async () => {
    const alice = await fundedPlayer(0)
    await setLimit(alice, 'loss', '10000000')
    const plan = await openRound({ min: 300, max: 600 })
    expect(outcomeOf(await alice.bet('6000000'))).toEqual(DONE)
    expect(outcomeOf(await alice.play({ amountWei: '5000000' }))).toEqual(REACHED)
    expect((await limitsOf(alice)).limits).toMatchObject([{ used: '6000000' }])
    setTime(plan.flightAt + 11_553)
    expect((await alice.cashout()).body.multiplier).toBe(2)
    expect((await limitsOf(alice)).limits).toMatchObject([{ used: '-6000000' }])
    expect(outcomeOf(await alice.play({ amountWei: '5000000' }))).toEqual(DONE)
  })

  it('refuses a bet, and moves nothing', async () => {
    const alice = await fundedPlayer(0)
    await setLimit(alice, 'loss', '5000000')
    await openRound()
    const refused = await alice.bet('5000001')
    expect(outcomeOf(refused)).toEqual(REACHED)
    expect(refused.body.error.message).toContain('Your loss limit is 5 USDG in 24 hours')
    expect((await alice.state()).body.me).toMatchObject({ openBet: null })
    expect(outcomeOf(await alice.bet('5000000'))).toEqual(DONE)
  })
})

describe("a partner's debit", () => {
  it('is refused above a limit, stores nothing, and passes later under its id', async () => {
    const alice = await fundedPlayer(0)
    await setLimit(alice, 'wager', '5000000')
    expect(outcomeOf(await platform.transact(alice, '-4'))).toEqual(DONE)
    const entries = (await entriesOf(ledger(env, alice.wallet))).length
    const call = () => platform.transact(alice, '-2', { partnerTransactionId: 'spin' })
    expect((await call()).body.error.message).toMatch(
      /^The player's wager limit is 5 USDG in 24 hours, of which 1 USDG is left\. You can make this debit from /,
    )
    expect(outcomeOf(await call())).toEqual(REACHED)
    expect(await entriesOf(ledger(env, alice.wallet))).toHaveLength(entries)
    pass(DAY_MS)
    expect(outcomeOf(await call())).toEqual(DONE)
    expect((await limitsOf(alice)).limits).toMatchObject([{ used: '2000000' }])
  })

  it('stays within the limit, however many arrive at the same time', async () => {
    const alice = await fundedPlayer(0)
    await setLimit(alice, 'loss', '5000000')
    const stakes = Array.from({ length: 9 }, () => platform.transact(alice, '-1'))
    const outcomes = (await Promise.all(stakes)).map(({ status }) => status)
    expect(outcomes.filter((status) => status === 200)).toHaveLength(5)
    expect(outcomes.filter((status) => status === 403)).toHaveLength(4)
  })

  it('is no loss once it is rolled back, but was wagered', async () => {
    const alice = await fundedPlayer(0)
    await setLimit(alice, 'wager', '5000000')
    await setLimit(alice, 'loss', '5000000')
    await platform.transact(alice, '-4', { partnerTransactionId: 'spin' })
    expect(outcomeOf(await platform.rollBack(alice, 'spin'))).toEqual(DONE)
    expect((await limitsOf(alice)).limits).toMatchObject([{ used: '4000000' }, { used: '0' }])
  })

  it('counts for a limit that is set long after it', async () => {
    const alice = await fundedPlayer(0)
    await platform.transact(alice, '-4')
    pass(DAY_MS / 2)
    const { body } = await setLimit(alice, 'wager', '5000000')
    expect(body.limits).toMatchObject([{ used: '4000000' }])
    expect(outcomeOf(await alice.play({ amountWei: '1000001' }))).toEqual(REACHED)
    pass(DAY_MS / 2)
    expect(outcomeOf(await platform.transact(alice, '-5'))).toEqual(DONE)
  })

  it('counts as lost together with bets and plays, less credits', async () => {
    const alice = await fundedPlayer(0)
    await platform.transact(alice, '-3')
    await platform.transact(alice, '1')
    const { body } = await setLimit(alice, 'loss', '5000000')
    expect(body.limits).toMatchObject([{ used: '2000000' }])
    expect(outcomeOf(await platform.transact(alice, '-3.000001'))).toEqual(REACHED)
    expect(outcomeOf(await platform.transact(alice, '-3'))).toEqual(DONE)
  })
})

describe('a looser limit', () => {
  it('holds 24 hours later, once it is confirmed, whatever restarts meanwhile', async () => {
    const alice = await fundedPlayer(0)
    const key = { kind: 'wager', ...DAILY }
    await setLimit(alice, 'wager', DOLLAR)
    const asked = await setLimit(alice, 'wager', '2000000')
    const from = now() + DAY_MS
    const pending = { amountWei: '2000000', minutes: null, from }
    expect(asked.body.limits).toMatchObject([{ amountWei: DOLLAR, pending }])
    pass(DAY_MS - 1)
    await evictDurableObject(ledger(env, alice.wallet))
    const early = await ask(alice, 'confirm', key)
    expect(outcomeOf(early)).toEqual([409, 'too_early'])
    expect(early.body.error.details).toEqual({ from })
    pass(1)
    await restart()
    expect(outcomeOf(await alice.play({ amountWei: '1000001' }))).toEqual(REACHED)
    const confirmed = await ask(alice, 'confirm', key)
    expect(confirmed.body.limits).toMatchObject([{ amountWei: '2000000', pending: null }])
    expect((await ask(alice, 'confirm', key)).text).toBe(confirmed.text)
    expect(outcomeOf(await alice.play({ amountWei: '1000001' }))).toEqual(DONE)
  })

  it('is removed in the same way', async () => {
    const alice = await fundedPlayer(0)
    await ask(alice, 'set', { kind: 'session', window: 'week', minutes: 90 })
    const removal = await ask(alice, 'remove', { kind: 'session', window: 'week' })
    expect(removal.body.limits).toMatchObject([
      { minutes: 90, token: null, pending: { amountWei: null, minutes: null } },
    ])
    pass(DAY_MS)
    const { body } = await ask(alice, 'confirm', { kind: 'session', window: 'week' })
    expect(body.limits).toEqual([])
  })
})

describe('a repeated request', () => {
  it('leaves one entry in the journal and answers the same', async () => {
    const alice = await fundedPlayer(0)
    const first = await setLimit(alice, 'loss', DOLLAR)
    expect((await setLimit(alice, 'loss', DOLLAR)).text).toBe(first.text)
    await setLimit(alice, 'loss', '2000000')
    await setLimit(alice, 'loss', '2000000')
    const entries = await entriesOf(ledger(env, alice.wallet))
    const changes = entries.filter(({ operationId }) => operationId.startsWith('limits:'))
    expect(changes.map(({ postings }) => postings)).toEqual([[], []])
  })

  it('of nothing changes nothing, and a read of a new wallet creates nothing', async () => {
    const bob = new Player(1)
    const none = { limits: [], excluded: false, excludedUntil: null, realityCheckMinutes: null }
    expect(await limitsOf(bob)).toMatchObject({ ...none, session: { startedAt: null } })
    await ask(bob, 'confirm', { kind: 'loss', ...DAILY })
    await ask(bob, 'remove', { kind: 'exclusion' })
    expect(await isBlankObject(ledger(env, bob.wallet))).toBe(true)
  })
})

describe('a deposit above a limit', () => {
  it('becomes chips up to the limit; the rest is in quarantine and cannot be played', async () => {
    const alice = new Player(0)
    await setLimit(alice, 'deposit', '10000000')
    await alice.fund('25000000')
    expect((await alice.state()).body.me).toMatchObject({
      chips: { USDG: '10000000' },
      quarantine: { ETH: '0', USDG: '15000000' },
    })
    expect((await limitsOf(alice)).limits).toMatchObject([{ used: '10000000' }])
    expect(outcomeOf(await alice.play({ amountWei: '10000001' }))).toEqual([
      402,
      'insufficient_chips',
    ])
    expect((await platform.balance(alice)).body.balanceWei).toBe('10000000')
  })

  it('becomes chips again after the window, and is owed to the player all the while', async () => {
    const alice = new Player(0)
    await setLimit(alice, 'deposit', '10000000')
    await alice.fund('25000000')
    pass(DAY_MS)
    await alice.fund('4000000')
    await restart()
    expect((await alice.state()).body.me).toMatchObject({
      chips: { USDG: '14000000' },
      quarantine: { USDG: '15000000' },
    })
    const stub = ledger(env, alice.wallet)
    const position = await stub.position()
    expect(position?.totals.USDG.deposited).toBe(29_000_000n)
    await stub.sendPosition()
    const row = await env.DB.prepare(
      `SELECT owed_low AS owed FROM ledger_positions WHERE token = 'USDG' AND wallet = ?`,
    )
      .bind(alice.wallet)
      .first<{ owed: number }>()
    expect(row?.owed).toBe(29_000_000)
  })
})

describe('a wallet without chips', () => {
  it('may change its limits a number of times, and afterwards only exclude itself', async () => {
    const alice = new Player(5)
    const change = (times: number) => ask(alice, 'reality-check', { minutes: times % 2 ? 15 : 30 })
    for (let times = 0; times < MAX_FREE_ENTRIES; times++)
      expect(outcomeOf(await change(times))).toEqual(DONE)
    expect(outcomeOf(await change(MAX_FREE_ENTRIES))).toEqual([503, 'ledger_full'])
    expect(outcomeOf(await ask(alice, 'exclude', { days: 7 }))).toEqual(DONE)
    pass(1)
    expect(outcomeOf(await ask(alice, 'exclude', { days: 7 }))).toEqual([503, 'ledger_full'])
    expect(outcomeOf(await ask(alice, 'exclude', { days: 1 }))).toEqual(DONE)
    expect(outcomeOf(await ask(alice, 'exclude', { days: null }))).toEqual(DONE)
    await alice.fund()
    pass(DAY_MS)
    expect(outcomeOf(await change(MAX_FREE_ENTRIES))).toEqual(DONE)
  })

  it('may change its limits and permissions, whatever a partner has tried to debit', async () => {
    const alice = new Player(5)
    for (let tries = 0; tries < MAX_FREE_ENTRIES; tries++) {
      const debit = await platform.transact(alice, '-1')
      expect(outcomeOf(debit)).toEqual([402, 'insufficient_chips'])
    }
    expect(outcomeOf(await setLimit(alice, 'deposit', '10000000'))).toEqual(DONE)
    expect(outcomeOf(await grant(alice))).toEqual(DONE)
  })
})

describe('a network above its limit of free entries', () => {
  it('refuses only wallets whose chips have never moved', async () => {
    const [alice, stranger] = [await fundedPlayer(0), new Player(5)]
    await grant(alice)
    vi.spyOn(env.MONEY_CALLS, 'limit').mockImplementation(async ({ key }) => ({
      success: !key.startsWith('newWallets '),
    }))
    expect(outcomeOf(await revoke(alice))).toEqual(DONE)
    expect(outcomeOf(await ask(alice, 'exclude', { days: null }))).toEqual(DONE)
    expect(outcomeOf(await ask(stranger, 'exclude', { days: 1 }))).toEqual([429, 'rate_limited'])
    expect(outcomeOf(await revoke(stranger))).toEqual([429, 'rate_limited'])
    expect(await isBlankObject(ledger(env, stranger.wallet))).toBe(true)
  })
})

describe('a stake older than a limit’s window', () => {
  it('still counts while its game has not ended', async () => {
    const alice = await fundedPlayer(0)
    await setLimit(alice, 'wager', '1500000')
    const stake = { token: 'USDG', amountWei: DOLLAR, params: { mines: 3 }, nonce: 0 }
    const credentials = { wallet: alice.wallet, authSig: await alice.authSig() }
    await post('/api/entropy', { action: 'mines-open', ...credentials, ...stake })
    pass(DAY_MS)
    const debit = await platform.transact(alice, '-1')
    expect(outcomeOf(debit)).toEqual(REACHED)
    expect(debit.body.error.details.resetsAt).toBe(now() + DAY_MS)
    await ringLedger(alice)
    expect(outcomeOf(await platform.transact(alice, '-1'))).toEqual(DONE)
  })

  it('counts until its end has left the window, as the refusal says', async () => {
    const alice = await fundedPlayer(0)
    await setLimit(alice, 'wager', DOLLAR)
    const round = await openRound()
    expect(outcomeOf(await alice.bet(DOLLAR))).toEqual(DONE)
    await endRound(round)
    expect((await alice.state()).body.me).toMatchObject({ openBet: null })
    const refused = await alice.play()
    expect(outcomeOf(refused)).toEqual(REACHED)
    setTime(refused.body.error.details.resetsAt)
    expect(outcomeOf(await alice.play())).toEqual(DONE)
  })
})

describe('a wallet without limits', () => {
  it('has no table for them', async () => {
    const alice = await fundedPlayer(0)
    await alice.play()
    const made = (stub: DurableObjectStub) =>
      runInDurableObject(stub, (_: unknown, { storage }: DurableObjectState) =>
        hasTable(storage, 'protection'),
      )
    expect(await made(ledger(env, alice.wallet))).toBe(false)
    await setLimit(alice, 'loss', DOLLAR)
    expect(await made(ledger(env, alice.wallet))).toBe(true)
  })
})

describe('a wallet with limits', () => {
  it('writes no more rows for a play than one without', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    for (const kind of ['loss', 'wager']) await setLimit(alice, kind, '900000000', 'month')
    await ask(alice, 'set', { kind: 'session', window: 'week', minutes: 90 })
    const rowsOfPlay = async (player: Player) => {
      await player.play()
      return (await costsOf(() => player.play())).rows
    }
    expect(await rowsOfPlay(alice)).toBe(await rowsOfPlay(bob))
  })
})

describe('a change of a wallet with many limits', () => {
  it('takes a small entry, whatever they are', async () => {
    const alice = new Player(0)
    const stub = ledger(env, alice.wallet)
    const most = { amountWei: String(2n ** 256n - 1n), minutes: null }
    for (const [kind, window, token] of everyLimit()) {
      const counted = { kind, window, token }
      await stub.changeLimits({ action: 'set', counted, most })
      await stub.changeLimits({ action: 'remove', counted })
    }
    const entries = await entriesOf(stub)
    expect(entries).toHaveLength(36)
    for (const entry of entries) expect(lineOf(entry).length).toBeLessThan(1_000)
  })
})

describe('the house', () => {
  it.each([
    ['raise', `UPDATE protection SET state = replace(state, '2000000', '9000000')`],
    ['take back', 'UPDATE protection SET changes = 1, state = :first'],
    ['drop', 'DELETE FROM protection'],
  ])('cannot %s a limit without a word: the ledger no longer verifies', async (_what, change) => {
    const alice = await fundedPlayer(0)
    const stub = ledger(env, alice.wallet)
    const state = async () =>
      (await rowsOf<{ state: string }>(stub, 'SELECT state FROM protection'))[0]?.state ?? ''
    const write = async (...[query, ...bindings]: [query: string, ...bindings: string[]]) => {
      await runInDurableObject(stub, (_: unknown, { storage }: DurableObjectState) => {
        storage.sql.exec(query, ...bindings)
      })
      await evictDurableObject(stub)
    }
    await setLimit(alice, 'loss', '3000000')
    const first = await state()
    await setLimit(alice, 'loss', '2000000')
    const latest = await state()
    await (change.includes(':first') ? write(change.replace(':first', '?'), first) : write(change))
    expect(await stub.verify()).toMatchObject({
      ok: false,
      problem: "the player's limits are not what the journal says",
    })
    await write('DELETE FROM protection')
    await write('INSERT INTO protection (id, changes, state) VALUES (1, 2, ?)', latest)
    expect(await stub.verify()).toMatchObject({ ok: true })
  })
})

describe('a window that reaches into the archive', () => {
  useShortSegments()

  it('counts the stakes there, and refuses while the archive does not answer', async () => {
    const alice = await fundedPlayer(0)
    await setLimit(alice, 'wager', '38500000', 'month')
    await play(alice, 19)
    pass(10 * DAY_MS)
    const secondHalfAt = now()
    await play(alice, 19)
    await grow(alice)
    expect(await archived(alice)).toBe(3)
    expect(outcomeOf(await alice.play())).toEqual(REACHED)
    // The first half of the stakes has left the window.
    pass(25 * DAY_MS)
    const down = vi.spyOn(env.ARCHIVE, 'get').mockRejectedValue(new Error('R2 is down'))
    await restart()
    expect(outcomeOf(await alice.play())).toEqual([503, 'archive_unavailable'])
    down.mockRestore()
    const gets = vi.spyOn(env.ARCHIVE, 'get')
    const refused = await alice.play({ amountWei: '19500001' })
    expect(outcomeOf(refused)).toEqual(REACHED)
    expect(refused.body.error.details.resetsAt).toBe(secondHalfAt + 30 * DAY_MS)
    expect(gets).toHaveBeenCalledTimes(1)
    expect(outcomeOf(await alice.play({ amountWei: '19500000' }))).toEqual(DONE)
  })
})

describe('a request about limits', () => {
  it.each<[string, object]>([
    ['set', { kind: 'loss', ...DAILY }],
    ['set', { kind: 'session', window: 'day', minutes: 0 }],
    ['set', { kind: 'loss', window: 'year', token: 'USDG', amountWei: '1' }],
    ['confirm', { kind: 'wager', window: 'day' }],
    ['exclude', {}],
    ['exclude', { days: 1_826 }],
    ['exclude', { days: 0 }],
    ['reality-check', { minutes: 1.5 }],
  ])('is refused if it is incomplete or out of range: %s %o', async (action, fields) => {
    expect(outcomeOf(await ask(new Player(0), action, fields))).toEqual([400, 'invalid_request'])
  })

  it('needs the wallet’s signature', async () => {
    const alice = new Player(0)
    expect(outcomeOf(await get(`/api/limits?wallet=${alice.wallet}`))).toEqual([
      401,
      'auth_required',
    ])
    const unsigned = await ask(alice, 'exclude', { days: 1, authSig: '0x00' })
    expect(outcomeOf(unsigned)).toEqual([401, 'auth_invalid'])
  })
})
