import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { flush } from '../../src/api/games/feed.ts'
import { exporter, ledger, partnerIds, reprojection } from '../../src/calls/objects.ts'
import { OTHER_DEV_PARTNER } from '../../src/cli/shared/dev-partners.ts'
import { GENESIS_HASH } from '../../src/ledger/journal.ts'
import { sweep } from '../../src/sweep.ts'
import { shardOf } from '../../src/wallet-bridge/ids.ts'
import { CrashRound, CrashTable, Ledger } from '../../src/worker.ts'
import { order } from './operator.ts'
import { Platform } from './partner.ts'
import {
  codeOf,
  fundedPlayer,
  migrateD1,
  openRound,
  pass,
  Player,
  restart,
  ringLedger,
  ringRound,
  useStories,
  endRound,
} from './support.ts'

useStories()

const TABLES = {
  ledger_positions: ['DB', 'wallet, token', 'updated_at'],
  crash_rounds: ['HISTORY', 'round_id', ''],
  crash_bets: ['HISTORY', 'round_id, wallet', ''],
  recent_plays: ['HISTORY', 'wallet, nonce', ''],
} as const

type Row = Record<string, unknown>

/** Every row in D1, without the times at which positions were sent. */
async function everything(): Promise<Row[][]> {
  return Promise.all(
    Object.entries(TABLES).map(async ([table, [database, columns, changing]]) => {
      const query = `SELECT * FROM ${table} ORDER BY ${columns}`
      const { results } = await env[database].prepare(query).all<Row>()
      return results.map(({ [changing]: _changing, ...row }) => row)
    }),
  )
}

async function loseEverything(): Promise<void> {
  for (const [table, [database]] of Object.entries(TABLES)) {
    await env[database].exec(`DELETE FROM ${table}`)
  }
}

/** Runs one alarm of the job. */
async function ring(): Promise<void> {
  await runDurableObjectAlarm(reprojection(env))
  pass(1_000)
}

async function finish(): Promise<void> {
  for (let alarms = 0; (await reprojection(env).progress()).finishedAt === null; alarms++) {
    expect(alarms).toBeLessThan(1_000)
    await ring()
  }
}

const platform = new Platform()

/** A partner's players, with rounds, bets and plays. */
async function history(): Promise<Player[]> {
  const players = [new Player(0), new Player(1), new Player(2)]
  for (const player of players) await platform.transact(player, '1000')
  for (let round = 0; round < 3; round++) {
    const plan = await openRound({ min: 200, max: 600 })
    for (const player of players) await player.bet('1000000', { autoCashout: 1.5 })
    await endRound(plan)
    pass(10_000)
  }
  for (const player of players) for (let nonce = 0; nonce < 4; nonce++) await player.play({ nonce })
  await flush(env)
  for (const player of players) await player.state()
  pass(300_000)
  for (const player of players) await ringLedger(player)
  await sweep(env)
  return players
}

describe('after D1 is lost', () => {
  it('reproject restores every position, round, bet and play from the objects', async () => {
    await history()
    const before = await everything()
    expect(before.map((rows) => rows.length)).toEqual([6, expect.any(Number), 9, 12])
    await loseEverything()
    const started = await reprojection(env).start('everything')
    expect(started).toMatchObject({ scope: 'everything', stage: 'listed', finishedAt: null })
    await finish()
    expect(await everything()).toEqual(before)
    expect(await reprojection(env).progress()).toMatchObject({ stage: null, waiting: 0 })
  })

  it('reproject leaves out the bets that are exported', async () => {
    await exporter(env).sweep()
    await history()
    const [, rounds] = await everything()
    await exporter(env).closeDay()
    await loseEverything()
    const plan = await openRound({ min: 200, max: 600 })
    await new Player(0).bet('1000000', { autoCashout: 1.5 })
    await endRound(plan)
    await reprojection(env).start('everything')
    await finish()
    const [, roundsAfter, bets] = await everything()
    expect(roundsAfter).toEqual(expect.arrayContaining(rounds ?? []))
    expect(bets?.map((row) => row['round_id'])).toEqual([plan.roundId])
  })

  it('reproject resumes after a restart, and changes nothing when it is repeated', async () => {
    await history()
    const before = await everything()
    await loseEverything()
    await reprojection(env).start('everything')
    while ((await reprojection(env).progress()).stage !== 'rounds') await ring()
    await restart()
    await finish()
    expect(await everything()).toEqual(before)
    await reprojection(env).start('everything')
    await finish()
    expect(await everything()).toEqual(before)
  })

  it('an object that does not answer is retried without delaying the others', async () => {
    await history()
    const before = await everything()
    const [first, ...others] = before[1]?.map((row) => row['round_id']) ?? []
    expect(others.length).toBeGreaterThan(1)
    await loseEverything()
    const send = Reflect.get(CrashRound.prototype, 'sendToHistory')
    const stuck = vi
      .spyOn(CrashRound.prototype, 'sendToHistory')
      .mockImplementation(async function (this: CrashRound) {
        const { name } = (this as unknown as { ctx: DurableObjectState }).ctx.id
        if (name === String(first)) throw new Error('does not answer')
        return send.call(this)
      })
    await reprojection(env).start('everything')
    for (let alarms = 0; alarms < 300; alarms++) await ring()
    const [positions, rounds] = await everything()
    expect(positions?.length).toBe(6)
    expect(rounds?.map((row) => row['round_id'])).toEqual(others)
    expect(await reprojection(env).progress()).toMatchObject({ waiting: 1, finishedAt: null })
    stuck.mockRestore()
    pass(300_000)
    await finish()
    expect(await everything()).toEqual(before)
  })

  it('an order that is delivered twice begins one job', async () => {
    await history()
    const orderedAt = Date.now()
    await reprojection(env).start('everything', orderedAt)
    await ring()
    const before = await reprojection(env).progress()
    expect(await reprojection(env).start('everything', orderedAt)).toEqual(before)
    await finish()
    const ended = await reprojection(env).progress()
    expect(await reprojection(env).start('everything', orderedAt)).toEqual(ended)
  })

  it('a job does not count for an order that only another clock dates before it', async () => {
    await history()
    const orderedAt = Date.now()
    await reprojection(env).start('everything', orderedAt)
    const earlier = orderedAt - 7_000
    const again = await reprojection(env).start('everything', earlier)
    expect(again).toMatchObject({ startedAt: earlier })
  })

  it('an operator has everything sent again, even what a job under way had sent before', async () => {
    await history()
    const before = await everything()
    const stuck = vi.spyOn(CrashRound.prototype, 'sendToHistory').mockRejectedValue(new Error('no'))
    await reprojection(env).start('everything')
    for (let alarms = 0; alarms < 300; alarms++) await ring()
    expect(await reprojection(env).progress()).toMatchObject({ stage: null, finishedAt: null })
    await loseEverything()
    stuck.mockRestore()
    expect((await order('reproject', 'everything')).body.act.result).toMatchObject({ isDone: true })
    pass(300_000)
    await finish()
    expect(await everything()).toEqual(before)
  })

  it('the positions are all sent again though a list of the history cannot be read', async () => {
    await history()
    const ringAnyway = async () => {
      await reprojection(env).sweep()
      await ring().catch(() => {})
    }
    vi.spyOn(CrashTable.prototype, 'newestRoundId').mockRejectedValue(new Error('no'))
    await reprojection(env).start('everything')
    for (let alarms = 0; alarms < 600; alarms++) await ringAnyway()
    expect(await reprojection(env).progress()).toMatchObject({ stage: 'rounds' })
    const late = vi.spyOn(Ledger.prototype, 'sendPosition').mockRejectedValue(new Error('no'))
    await reprojection(env).start('positions', Date.now())
    for (let alarms = 0; alarms < 400; alarms++) await ringAnyway()
    late.mockRestore()
    pass(300_000)
    for (let alarms = 0; alarms < 3; alarms++) await ringAnyway()
    const { positions, finishedAt } = await reprojection(env).progress()
    expect([typeof positions?.finishedAt, finishedAt]).toEqual(['number', null])
  })

  it('a row that was restored to an earlier time is replaced', async () => {
    const alice = await fundedPlayer(0)
    pass(300_000)
    await ringLedger(alice)
    const before = await everything()
    const begin = `version = 0, head_hash = '${GENESIS_HASH}'`
    const older = `UPDATE ledger_positions SET ${begin}, accounts = '{}', owed_low = 1`
    await env.DB.exec(older)
    await reprojection(env).start('positions')
    await finish()
    expect(await everything()).toEqual(before)
  })
})

/** Drops every table of both databases, as if they had been deleted. */
async function dropEverything(): Promise<void> {
  for (const database of [env.DB, env.HISTORY]) {
    const { results } = await database
      .prepare(
        `SELECT name FROM sqlite_master
         WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '\\_cf%' ESCAPE '\\'`,
      )
      .all<{ name: string }>()
    for (const { name } of results) await database.exec(`DROP TABLE ${name}`)
  }
}

/** Everybody bets in a round and makes a play. Returns the number of the round. */
async function playOn(players: readonly Player[]): Promise<number> {
  const plan = await openRound({ min: 200, max: 600 })
  for (const player of players) {
    expect((await player.bet('2000000', { autoCashout: 1.5 })).status).toBe(200)
    expect((await player.play()).status).toBe(200)
  }
  await flush(env)
  await endRound(plan)
  pass(10_000)
  return plan.roundId
}

describe('D1 that is dropped under play', () => {
  it('stops nobody, and is rebuilt with all that was played, row for row', async () => {
    const players = await history()
    const [, roundsBefore = [], betsBefore = [], playsBefore = []] = await everything()
    await dropEverything()
    const played = [await playOn(players), await playOn(players)]
    // The operator applies the migrations, and orders the rest.
    await migrateD1()
    played.push(await playOn(players))
    const { body } = await order('reproject', 'everything')
    expect(body.act.result).toMatchObject({ isDone: true })
    for (let alarms = 0; alarms < 5; alarms++) await ring()
    played.push(await playOn(players))
    await finish()
    pass(300_000)
    for (const player of players) await ringLedger(player)
    for (const roundId of played) await ringRound(roundId)

    const [positions, rounds, bets, plays] = await everything()
    expect(rounds).toEqual(expect.arrayContaining(roundsBefore))
    expect(bets).toEqual(expect.arrayContaining(betsBefore))
    expect(plays).toEqual(expect.arrayContaining(playsBefore))
    expect(rounds?.map((row) => row['round_id'])).toEqual(expect.arrayContaining(played))
    expect(bets?.length).toBe(betsBefore.length + played.length * players.length)
    expect(plays?.length).toBe(playsBefore.length + played.length * players.length)
    for (const { wallet } of players) {
      const version = (await ledger(env, wallet).position())?.version
      const ofWallet = positions?.filter((row) => row['wallet'] === wallet)
      expect(ofWallet?.map((row) => row['version'])).toEqual([version, version])
    }
    // What the objects have comes to the same rows as what they sent while it was played.
    const rebuilt = await everything()
    await loseEverything()
    await reprojection(env).start('everything')
    await finish()
    expect(await everything()).toEqual(rebuilt)
  })
})

describe('a job', () => {
  it('is not started twice, and goes on if more is requested', async () => {
    const first = await reprojection(env).start('positions')
    pass(1_000)
    expect(await reprojection(env).start('positions')).toEqual(first)
    const wider = await reprojection(env).start('everything')
    expect(wider).toEqual({ ...first, scope: 'everything', asked: 2, waiting: 2 })
    expect(await reprojection(env).start('positions')).toEqual(wider)
    await finish()
  })
})

describe("a partner's ids", () => {
  it('name their players, each once, in order, for any range', async () => {
    const [alice, bob] = [new Player(0), new Player(1)]
    const ids = Array.from({ length: 1_000 }, (_, number) => `id-${number}`)
      .filter((id) => shardOf(id) === shardOf('id-0'))
      .slice(0, 3)
    for (const [index, player] of [bob, alice, alice].entries()) {
      await platform.transact(player, '1', { partnerTransactionId: ids[index]! })
    }
    const [first, second] = [alice.wallet, bob.wallet].toSorted()
    const shard = partnerIds(env, 'demo', ids[0]!)
    expect(await shard.players(null, 10)).toEqual([first, second])
    expect(await shard.players(null, 1)).toEqual([first])
    expect(await shard.players(first!, 10)).toEqual([second])
    expect(await shard.players(second!, 10)).toEqual([])
  })

  it('name nobody whom they cannot have credited', async () => {
    vi.spyOn(console, 'log').mockImplementation(() => {})
    const [alice, bob] = [new Player(0), new Player(1)]
    const stranger = new Platform(OTHER_DEV_PARTNER)
    const refused = await stranger.transact(alice, '-1', { partnerTransactionId: 'spin' })
    expect(codeOf(refused)).toBe('permission_required')
    await stranger.transact(bob, '0', { partnerTransactionId: 'zero' })
    await stranger.rollBack(bob, 'never-was', { partnerTransactionId: 'undo' })
    for (const id of ['spin', 'zero', 'undo'])
      expect(await partnerIds(env, OTHER_DEV_PARTNER.id, id).players(null, 10)).toEqual([])
  })
})
