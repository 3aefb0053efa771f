import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { crashRound } from '../../src/calls/objects.ts'
import { flightMs } from '../../src/crash/curve.ts'
import { costsOf } from './costs.ts'
import {
  endRound,
  fundedPlayer,
  get,
  isBlankObject,
  openRound,
  outcomeOf,
  pass,
  Player,
  restart,
  secretsOf,
  setTime,
  useStories,
} from './support.ts'
import { Viewer } from './viewer.ts'

useStories()

const LIVE = { multiplier: null, payout: null }

/** What everyone sees of a round's bets, after the quarter of a second for which isolates may keep them. */
async function bets(query = '') {
  pass(250)
  const { status, body } = await get(`/api/crash?action=bets${query}`)
  expect(status).toBe(200)
  return body
}

/** Places bets of two dollars by wallets without ledgers, which {@link dismiss} has to take away again. */
async function crowd(roundId: number, size: number): Promise<void> {
  const round = crashRound(env, roundId)
  const wallets = Array.from({ length: size }, (_, n) => `0x${String(n).padStart(40, '0')}`)
  const stake = { token: 'USDG' as const, amountWei: 2_000_000n, autoCashout: null }
  await Promise.all(
    wallets.map((wallet) => round.place({ betId: `${roundId}:${wallet}:0`, wallet, ...stake })),
  )
}

/** The audit after each test finds bets that no ledger holds. */
function dismiss(roundId: number): Promise<unknown> {
  return runInDurableObject(crashRound(env, roundId), (_, { storage }) =>
    storage.sql.exec(`DELETE FROM bets WHERE wallet LIKE '0x00000%'`).toArray(),
  )
}

describe('the bets of the current round', () => {
  it('are shown as they come, with their totals', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    const { roundId } = await openRound()
    const none = { count: 0, amountWei: '0' }
    const table = { ok: true, roundId, betsRoot: null }
    expect(await bets()).toEqual({ ...table, totals: { ETH: none, USDG: none }, bets: [] })
    await alice.bet('1000000', { autoCashout: 1.5 })
    await bob.bet('2000000')
    expect(await bets()).toEqual({
      ...table,
      totals: { ETH: none, USDG: { count: 2, amountWei: '3000000' } },
      bets: [
        { wallet: bob.wallet, token: 'USDG', amountWei: '2000000', ...LIVE },
        { wallet: alice.wallet, token: 'USDG', amountWei: '1000000', ...LIVE },
      ],
    })
  })

  it('show their root from the close on, and cash-outs as they happen', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    const plan = await openRound({ min: 200, max: 600 })
    await alice.bet('1000000', { autoCashout: 1.5 })
    await bob.bet('2000000')
    setTime(plan.flightAt)
    expect((await bets()).betsRoot).toMatch(/^[0-9a-f]{64}$/)
    pass(2_000)
    await bob.cashout()
    const [first, second] = (await bets()).bets
    expect(first).toMatchObject({ wallet: bob.wallet, multiplier: 1.14, payout: '2280000' })
    expect(second).toMatchObject({ wallet: alice.wallet, ...LIVE })
    setTime(plan.flightAt + flightMs(150))
    expect((await bets()).bets[1]).toMatchObject({ multiplier: 1.5, payout: '1500000' })
  })

  it('are the two hundred largest, with the caller’s own, which costs a call', async () => {
    const alice = await fundedPlayer(0)
    const { roundId } = await openRound()
    await alice.bet('1000000')
    await crowd(roundId, 200)
    expect((await bets()).bets).toHaveLength(200)
    const own = `&wallet=${alice.wallet}`
    expect((await bets(own)).bets.at(-1)).toMatchObject({ wallet: alice.wallet })
    const { calls } = await costsOf(() => get(`/api/crash?action=bets${own}`))
    expect(calls).toBe(1)
    expect((await bets()).bets).toHaveLength(200)
    await dismiss(roundId)
  })

  it('cost the round few calls at a time, however many wallets are named', async () => {
    const alice = await fundedPlayer(0)
    const { roundId } = await openRound()
    await alice.bet('1000000')
    await crowd(roundId, 200)
    await bets()
    const strangers = Array.from({ length: 20 }, (_, n) => `0x${String(n).padStart(40, '9')}`)
    const { calls } = await costsOf(async () => {
      const reads = strangers.map((wallet) => get(`/api/crash?action=bets&wallet=${wallet}`))
      const outcomes = (await Promise.all(reads)).map(outcomeOf)
      expect(outcomes.filter(([status]) => status === 200)).toHaveLength(4)
      expect(outcomes.filter(([, code]) => code === 'rate_limited')).toHaveLength(16)
      expect((await get('/api/crash?action=bets')).status).toBe(200)
    })
    expect(calls).toBe(4)
    expect((await bets(`&wallet=${alice.wallet}`)).bets).toHaveLength(201)
    await dismiss(roundId)
  })

  it.each([150, 400])('cost one call for any number of readers after %i ms', async (quietMs) => {
    const alice = await fundedPlayer(0)
    await openRound()
    await alice.bet('1000000')
    await bets()
    pass(quietMs)
    const { rows, calls } = await costsOf(() =>
      Promise.all(Array.from({ length: 20 }, () => get('/api/crash?action=bets'))),
    )
    expect({ rows, calls }).toEqual({ rows: 0, calls: 1 })
  })
})

describe('the bets of an ended round', () => {
  it('are shown with their ends, however old, also after a restart', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    const plan = await openRound({ min: 200, max: 600 })
    await alice.bet('2000000', { autoCashout: 1.5 })
    await bob.bet('1000000')
    await endRound(plan)
    const shown = await bets()
    expect(shown.bets).toMatchObject([
      { wallet: alice.wallet, multiplier: 1.5, payout: '3000000' },
      { wallet: bob.wallet, multiplier: 0, payout: '0' },
    ])
    pass(plan.resultsMs)
    await restart()
    await openRound()
    expect(await bets(`&roundId=${plan.roundId}`)).toEqual(shown)
    expect(await bets(`&roundId=${plan.roundId}&wallet=${bob.wallet}`)).toEqual(shown)
  })

  it('are none if nobody bet in it, before and after it has erased itself', async () => {
    const plan = await openRound()
    await endRound(plan)
    const shown = await bets()
    expect(shown).toMatchObject({ roundId: plan.roundId, bets: [], totals: { ETH: { count: 0 } } })
    await restart()
    expect(await bets()).toEqual(shown)
    pass(plan.resultsMs)
    expect(await bets(`&roundId=${plan.roundId}`)).toEqual(shown)
  })

  it('are not found for a round to come, which nobody makes by asking', async () => {
    const { roundId } = await openRound()
    const next = await get(`/api/crash?action=bets&roundId=${roundId + 1}`)
    expect(outcomeOf(next)).toEqual([404, 'not_found'])
    expect(await isBlankObject(crashRound(env, roundId + 1))).toBe(true)
  })
})

describe('the history of rounds', () => {
  it('goes back further than the state, newest first', async () => {
    const played: number[] = []
    for (let round = 0; round < 22; round++) {
      const plan = await openRound({ max: 300 })
      await endRound(plan)
      played.unshift(plan.roundId)
      pass(plan.resultsMs)
    }
    const { body } = await get('/api/crash?action=history')
    const { history } = body as { history: { roundId: number; crash: number }[] }
    expect(history.map(({ roundId }) => roundId)).toEqual(played)
    expect(history.every(({ crash }) => crash >= 1 && crash <= 3)).toBe(true)
  })

  it('shows a crash as soon as the state does, and not before', async () => {
    const plan = await openRound({ max: 300 })
    const { crash } = await secretsOf(plan.roundId)
    const newest = async () => (await get('/api/crash?action=history')).body.history[0]
    setTime(plan.flightAt + flightMs(crash) - 1)
    expect(await newest()).toBeUndefined()
    setTime(plan.flightAt + flightMs(crash) + 250)
    expect(await newest()).toEqual({ roundId: plan.roundId, crash: crash / 100 })
  })
})

describe('a live viewer', () => {
  it('receives the totals first, and then the new bets', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    const { roundId } = await openRound()
    await alice.bet('1000000')
    const viewer = await Viewer.connect()
    const [snapshot] = await viewer.hears('snapshot')
    expect(snapshot?.totals.USDG).toEqual({ count: 1, amountWei: '1000000' })
    const timers = vi.spyOn(globalThis, 'setTimeout')
    await bob.bet('2000000', { autoCashout: 1.5 })
    expect(timers.mock.calls.map(([, ms]) => ms)).toContain(250)
    const none = { count: 0, amountWei: '0' }
    expect(await viewer.hears('bets')).toEqual([
      {
        type: 'bets',
        roundId,
        totals: { ETH: none, USDG: { count: 2, amountWei: '3000000' } },
        bets: [{ wallet: bob.wallet, token: 'USDG', amountWei: '2000000', ...LIVE }],
      },
    ])
  })

  it('costs a bet no row, and at most one call for the bets of a quarter of a second', async () => {
    const players = await Promise.all([0, 1, 2, 3].map(fundedPlayer))
    await openRound()
    const viewer = await Viewer.connect()
    await players[0]?.bet('1000000')
    await viewer.hears('bets')
    const alone = 2
    const { rows, calls } = await costsOf(async () => {
      await Promise.all(players.slice(1).map((player) => player.bet('1000000')))
      await viewer.hears('bets', 2)
    })
    expect({ rows, calls }).toEqual({ rows: 3 * alone, calls: 3 * alone + 1 })
  })
})

it('a wallet that has not bet changes nothing in the answer', async () => {
  const alice = await fundedPlayer(0)
  await openRound()
  await alice.bet('1000000')
  expect(await bets(`&wallet=${new Player(5).wallet}`)).toEqual(await bets())
})
