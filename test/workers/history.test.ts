import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { flush } from '../../src/api/games/feed.ts'
import type { FeedPlay } from '../../src/games/placement.ts'
import { newestPlays, savePlays, trimPlays } from '../../src/history/plays.ts'
import { ledger } from '../../src/objects.ts'
import { sweep } from '../../src/sweep.ts'
import {
  fundedPlayer,
  get,
  openRound,
  pass,
  Player,
  post,
  ringLedger,
  useStories,
  endRound,
  rowsOf,
} from './support.ts'

useStories()

const wallets = Array.from({ length: 5 }, (_, index) => new Player(index).wallet)

/** Plays of one wallet that settle a millisecond apart. */
function playsOf(wallet: string, count: number, game = 'limbo', from = 0): FeedPlay[] {
  const plays = Array.from({ length: count }, (_, nonce) => {
    return { wallet, nonce, game, settledAt: from + nonce }
  })
  return plays as unknown as FeedPlay[]
}

/** The whole feed or part of it, newest first. */
function feed(filter: { game?: string; wallet?: string } = {}): Promise<FeedPlay[]> {
  return newestPlays(env.HISTORY, { game: null, wallet: null, limit: 1_000, ...filter })
}

describe('the feed', () => {
  it('keeps the newest 100 plays of a wallet, in any order of arrival', async () => {
    const [wallet = ''] = wallets
    await savePlays(env.HISTORY, playsOf(wallet, 250))
    await savePlays(env.HISTORY, playsOf(wallet, 120))
    const newest = Array.from({ length: 100 }, (_, index) => 249 - index)
    expect((await feed()).map(({ nonce }) => nonce)).toEqual(newest)
    expect((await feed({ wallet })).map(({ nonce }) => nonce)).toEqual(newest)
    expect((await feed({ wallet, game: 'limbo' })).length).toBe(100)
    expect(await feed({ wallet, game: 'keno' })).toEqual([])
  })

  it('keeps a bounded number of plays in total, and some of a rarely played game', async () => {
    for (const [index, wallet] of wallets.slice(1).entries()) {
      await savePlays(env.HISTORY, playsOf(wallet, 50, 'limbo', index * 50))
    }
    await savePlays(env.HISTORY, playsOf(wallets[0] ?? '', 5, 'keno', -10))
    await trimPlays(env.HISTORY, { inAll: 60, ofGame: 3 })
    expect((await feed({ game: 'limbo' })).map(({ settledAt }) => settledAt)).toEqual(
      Array.from({ length: 60 }, (_, index) => 199 - index),
    )
    expect((await feed({ game: 'keno' })).map(({ nonce }) => nonce)).toEqual([4, 3, 2])
  })

  it('keeps everything while there is room, however old', async () => {
    await savePlays(env.HISTORY, playsOf(wallets[0] ?? '', 50))
    pass(90 * 86_400_000)
    await sweep(env)
    expect((await feed()).length).toBe(50)
  })

  it.each<[Parameters<typeof feed>[0], number]>([
    [{}, 20],
    [{ game: 'mines' }, 20],
    [{ wallet: new Player(0).wallet }, 220],
    [{ wallet: new Player(0).wallet, game: 'mines' }, 220],
  ])('reads few rows for %o', async (filter, most) => {
    for (const wallet of wallets) await savePlays(env.HISTORY, playsOf(wallet, 100))
    let read = 0
    const prepare = (query: string) => ({
      bind: (...values: unknown[]) => ({
        all: async () => {
          const answer = await env.HISTORY.prepare(query)
            .bind(...values)
            .all()
          read = answer.meta.rows_read
          return answer
        },
      }),
    })
    const asked = { game: null, wallet: null, limit: 5, ...filter }
    await newestPlays({ prepare } as unknown as D1Database, asked)
    expect(read).toBeLessThan(most)
  })
})

describe('a history that rejects writes', () => {
  /** As if it were full or down. */
  async function withoutHistory(story: () => Promise<void>): Promise<void> {
    const tables = ['recent_plays', 'crash_rounds', 'openings']
    for (const table of tables) {
      await env.HISTORY.exec(`ALTER TABLE ${table} RENAME TO ${table}_away`)
    }
    await story()
    for (const table of tables) {
      await env.HISTORY.exec(`ALTER TABLE ${table}_away RENAME TO ${table}`)
    }
  }

  it('delays no bet, play or position, and receives everything once it recovers', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    const plan = await openRound({ min: 300, max: 600 })
    await withoutHistory(async () => {
      await alice.bet('100000000', { autoCashout: 1.5 })
      for (let nonce = 0; nonce < 3; nonce++) {
        expect((await bob.play({ nonce })).status).toBe(200)
      }
      await endRound(plan)
      expect(await alice.chips()).toBe('1050000000')
      pass(300_000)
      for (const player of [alice, bob]) await ringLedger(player)
      await flush(env)
      const { results } = await env.DB.prepare(
        `SELECT wallet, accounts ->> 'chips' AS chips FROM ledger_positions WHERE token = 'USDG'`,
      ).all()
      expect(results).toContainEqual({ wallet: alice.wallet, chips: '1050000000' })
      expect(results).toContainEqual({ wallet: bob.wallet, chips: await bob.chips() })
      expect((await get('/api/crash?action=watch')).body.history).toContainEqual({
        roundId: plan.roundId,
        crash: expect.any(Number),
      })
    })
    pass(300_000)
    await ringLedger(bob)
    await sweep(env)
    const { body } = await post('/api/entropy', { action: 'recent', wallet: bob.wallet })
    expect(body.recent.map((play: { nonce: number }) => play.nonce)).toEqual([2, 1, 0])
    const seeds = await get(`/api/crash/verify-seeds?roundId=${plan.roundId}`)
    expect(seeds.body.rounds[0]).toMatchObject({ seedHash: plan.seedHash })
  })

  it('costs a ledger one waiting message, and later the 100 plays kept by the feed', async () => {
    const bob = await fundedPlayer(1)
    await withoutHistory(async () => {
      for (let nonce = 0; nonce < 130; nonce++) await bob.play({ nonce, amountWei: '10000' })
      await flush(env)
      pass(300_000)
      await ringLedger(bob)
      const waiting = await rowsOf(ledger(env, bob.wallet), 'SELECT kind FROM outbox')
      expect(waiting).toEqual([{ kind: 'projection' }])
    })
    pass(300_000)
    await ringLedger(bob)
    expect((await feed({ wallet: bob.wallet })).map(({ nonce }) => nonce)).toEqual(
      Array.from({ length: 100 }, (_, index) => 129 - index),
    )
  })
})
