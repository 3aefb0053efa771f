import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { flush, publish } from '../../src/api/games/feed.ts'
import { ledger } from '../../src/calls/objects.ts'
import type { FeedPlay } from '../../src/games/play-request.ts'
import { newestPlays, savePlays, trimPlays } from '../../src/history/plays.ts'
import { sweep } from '../../src/sweep.ts'
import { costsOf } from './costs.ts'
import { Platform } from './partner.ts'
import { recent, SELECTIONS } from './plays.ts'
import { d1RowsWritten } from './row-counts.ts'
import {
  fundedPlayer,
  get,
  isBlankObject,
  openRound,
  pass,
  Player,
  post,
  ringLedger,
  useStories,
  endRound,
  restart,
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

/** The whole feed or a game of it, newest first. */
function feed(game: string | null = null): Promise<FeedPlay[]> {
  return newestPlays(env.HISTORY, { game, limit: 1_000 })
}

const timesOf = (plays: FeedPlay[]) => plays.map(({ settledAt }) => settledAt)
const [WALLET = ''] = wallets

describe('the feed', () => {
  it('shows all wallets and games, newest first, in any order of arrival', async () => {
    const games = ['keno', 'limbo', 'mines', 'plinko']
    for (const [index, game] of games.entries()) {
      await savePlays(env.HISTORY, playsOf(wallets[index] ?? '', 20, game, 10 - index))
    }
    await savePlays(env.HISTORY, playsOf(WALLET, 30, 'keno', 10))
    const times = games.flatMap((_, index) => timesOf(playsOf('', index ? 20 : 30, '', 10 - index)))
    expect(timesOf(await feed())).toEqual(times.toSorted((a, b) => b - a))
    expect(timesOf(await feed('mines'))).toEqual(timesOf(playsOf('', 20, '', 8)).toReversed())
    expect((await newestPlays(env.HISTORY, { game: null, limit: 3 })).length).toBe(3)
  })

  it('keeps as many plays of each game as an answer shows, however popular the others are', async () => {
    for (const [index, wallet] of wallets.slice(1).entries()) {
      await savePlays(env.HISTORY, playsOf(wallet, 50, 'limbo', index * 50))
    }
    await savePlays(env.HISTORY, playsOf(WALLET, 5, 'keno', -10))
    await trimPlays(env.HISTORY)
    const newest = Array.from({ length: 100 }, (_, index) => 199 - index)
    expect(timesOf(await feed('limbo'))).toEqual(newest)
    expect((await feed('keno')).map(({ nonce }) => nonce)).toEqual([4, 3, 2, 1, 0])
  })

  const published = (plays: FeedPlay[]) => {
    for (const play of plays) publish(env, { waitUntil: () => {} }, play)
    return flush(env)
  }

  it('is written the newest 100 plays of each game of a second, as many as an answer can show', async () => {
    const rows = await d1RowsWritten(() =>
      published([...playsOf(WALLET, 250), ...playsOf(WALLET, 5, 'keno', 1_000)]),
    )
    expect(rows).toBe(105)
    const newest = Array.from({ length: 100 }, (_, index) => 249 - index)
    expect(timesOf(await feed('limbo'))).toEqual(newest)
    expect((await feed('keno')).length).toBe(5)
  })

  it('lists the newest plays, even if D1 took a part of them only at the second attempt', async () => {
    const plays = playsOf(WALLET, 130)
    await env.HISTORY.exec('ALTER TABLE recent_plays RENAME TO away')
    await published(plays.slice(0, 125))
    await env.HISTORY.exec('ALTER TABLE away RENAME TO recent_plays')
    const rows = await d1RowsWritten(() => published(plays.slice(125)))
    expect(rows).toBe(100)
    expect(timesOf(await feed())).toEqual(Array.from({ length: 100 }, (_, index) => 129 - index))
  })

  it('is trimmed at once, however many plays have come', async () => {
    await env.HISTORY.exec(
      `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 50200) INSERT INTO recent_plays SELECT 'limbo', n, '0x', n, json_object('settledAt', n) FROM numbers`,
    )
    await sweep(env)
    expect((await feed()).length).toBe(100)
    expect(timesOf(await feed()).at(-1)).toBe(50_101)
  })

  it('keeps everything while there is room, however old', async () => {
    await savePlays(env.HISTORY, playsOf(WALLET, 50))
    pass(90 * 86_400_000)
    await sweep(env)
    expect((await feed()).length).toBe(50)
  })

  it('writes one row a play, and none for a repetition, even of a play that was deleted', async () => {
    const plays = playsOf(WALLET, 250)
    const write = (some: FeedPlay[]) => d1RowsWritten(() => savePlays(env.HISTORY, some))
    expect(await write(plays.slice(0, 200))).toBe(200)
    for (const [index, play] of plays.slice(200).entries()) {
      expect([index, await write([play])]).toEqual([index, 1])
    }
    expect(await write(plays.slice(-100))).toBe(0)
    expect(await d1RowsWritten(() => trimPlays(env.HISTORY))).toBe(150)
    expect(await write(plays.slice(0, 200))).toBe(0)
    expect(await d1RowsWritten(() => trimPlays(env.HISTORY))).toBe(0)
  })

  it('costs a player one row in and later one out for each play, with the ledger’s repetition', async () => {
    const alice = await fundedPlayer(0)
    await savePlays(env.HISTORY, playsOf(WALLET, 100))
    const rows = await d1RowsWritten(async () => {
      for (let nonce = 0; nonce < 3; nonce++) await alice.play({ nonce })
      await flush(env)
      await ledger(env, alice.wallet).sendPlays()
    })
    expect(rows).toBe(3)
    expect(await d1RowsWritten(() => trimPlays(env.HISTORY))).toBe(3)
  })

  it.each<[string | null, number]>([
    [null, 20],
    ['mines', 20],
  ])('reads few rows for the game %o', async (game, most) => {
    for (const [index, wallet] of wallets.entries()) {
      const name = ['keno', 'limbo', 'mines', 'plinko'][index % 4]
      await savePlays(env.HISTORY, playsOf(wallet, 100, name))
    }
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
    await newestPlays({ prepare } as unknown as D1Database, { game, limit: 5 })
    expect(read).toBeLessThan(most)
  })
})

describe("a wallet's list", () => {
  const listOf = async (player: Player, fields: object = {}): Promise<number[]> => {
    const asked = { action: 'recent', wallet: player.wallet, limit: 100, ...fields }
    const { body } = await post('/api/entropy', asked)
    return body.recent.map((play: { nonce: number }) => play.nonce)
  }

  it('has its newest 100 plays, and as many of a game, however many of another came after', async () => {
    const alice = await fundedPlayer(0)
    const { game } = SELECTIONS[0] ?? {}
    await alice.play(SELECTIONS[0])
    await alice.play(SELECTIONS[0])
    for (let nonce = 2; nonce < 103; nonce++) await alice.play({ nonce, amountWei: '10000' })
    expect(await listOf(alice)).toEqual(Array.from({ length: 100 }, (_, index) => 102 - index))
    expect(await listOf(alice, { limit: 3 })).toEqual([102, 101, 100])
    expect(await listOf(alice, { game })).toEqual([1, 0])
    expect(await listOf(alice, { game, limit: 1 })).toEqual([1])
    const { ok: _, ...found } = (
      await get(`/api/entropy?action=play&wallet=${alice.wallet}&nonce=0`)
    ).body
    expect((await recent({ wallet: alice.wallet, game })).at(-1)).toEqual(found)
    await alice.play({ ...SELECTIONS[0], nonce: 103 })
    expect(await listOf(alice, { game })).toEqual([103, 1, 0])
  })

  it('costs its ledger nothing once it has been read, and a bounded number of entries before', async () => {
    const alice = await fundedPlayer(0)
    const platform = new Platform()
    await alice.play()
    await restart()
    const ask = () => ledger(env, alice.wallet).newestPlays({ game: 'keno', limit: 1 })
    const first = await costsOf(ask)
    expect(first.statements).toBeLessThan(10)
    expect((await costsOf(ask)).statements).toBe(0)
    await alice.play()
    for (let count = 0; count < 3; count++) await platform.transact(alice, '1')
    const { body } = await post('/api/entropy', { action: 'recent', wallet: alice.wallet })
    expect(body.recent.map(({ nonce }: FeedPlay) => nonce)).toEqual([1, 0])
  })

  it('comes from its ledger, so it never waits for D1, and creates nothing', async () => {
    const [alice, stranger] = [await fundedPlayer(0), new Player(5)]
    await env.HISTORY.exec('ALTER TABLE recent_plays RENAME TO away')
    await alice.play()
    expect(await listOf(alice)).toEqual([0])
    await env.HISTORY.exec('ALTER TABLE away RENAME TO recent_plays')
    expect(await listOf(stranger)).toEqual([])
    expect(await isBlankObject(ledger(env, stranger.wallet))).toBe(true)
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
    const { body } = await post('/api/entropy', { action: 'recent' })
    expect(body.recent).toMatchObject([2, 1, 0].map((nonce) => ({ wallet: bob.wallet, nonce })))
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
    expect((await feed()).map(({ nonce }) => nonce).toSorted((a, b) => b - a)).toEqual(
      Array.from({ length: 100 }, (_, index) => 129 - index),
    )
  })
})
