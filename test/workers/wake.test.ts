import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import {
  control,
  crashRound,
  crashTable,
  ledger,
  transparencyLog,
} from '../../src/calls/objects.ts'
import { OTHER_DEV_PARTNER } from '../../src/cli/shared/dev-partners.ts'
import type { RoundNow } from '../../src/crash/due.ts'
import type { StatementQuery } from '../../src/wallet-bridge/statement.ts'
import { setLimit } from './limits.ts'
import { setModes } from './operator.ts'
import { grant, Platform } from './partner.ts'
import {
  endRound,
  fundedPlayer,
  now,
  openRound,
  pass,
  type Player,
  ringLedger,
  rowsOf,
  useStories,
  watch,
} from './support.ts'
import { watchStorage } from './watch-storage.ts'

useStories()

/** Returns the statements that some work runs in all objects. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = []
  const stop = await watchStorage({ onStatement: (statement) => statements.push(statement) })
  await work()
  stop()
  return statements
}

/** Returns the statements that an object runs for a read that wakes it up. */
async function statementsOfWaking(
  stub: DurableObjectStub,
  read: () => Promise<unknown>,
): Promise<string[]> {
  // Watching wakes the table, and reading before it wakes the objects that this one asks.
  return statementsOf(async () => {
    await evictDurableObject(stub)
    await read()
  })
}

/** How a bet of each of some rounds ended, among plays. */
async function playAround(player: Player, rounds: number, playsEach: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const plan = await openRound({ min: 150, max: 300 })
    await player.bet('1000000')
    await endRound(plan)
    await player.state()
    pass(6_000)
    for (let play = 0; play < playsEach; play++) {
      await player.play()
      pass(1_000)
    }
  }
}

/** What a player, a partner or anyone asks a ledger. */
const READS: Record<string, (books: ReturnType<typeof ledger>) => Promise<unknown>> = {
  'the state': (books) =>
    books.me({ roundId: 4, phase: 'betting', multiplier: 100, decidedTokens: [] }),
  'the next play': (books) => books.nextPlay(),
  'the next play and the open game': (books) => books.commitNextPlay(),
  'the first play': (books) => books.findPlay(0),
  'an old play': (books) => books.findPlay(5),
  'the latest play': (books) => books.findPlay(11),
  'the newest plays': (books) => books.newestPlays({ game: null, limit: 20 }),
  'the newest plays of a game': (books) => books.newestPlays({ game: 'limbo', limit: 100 }),
  'the newest plays of a game without plays': (books) =>
    books.newestPlays({ game: 'dice', limit: 100 }),
  'how an old bet ended': (books) => books.endedBet(2),
  'a bet that was never made': (books) => books.endedBet(1_000),
  'the activity': (books) => books.activity({ kind: null, before: null, limit: 20 }),
  'older activity of a kind': (books) => books.activity({ kind: 'crash', before: 20, limit: 5 }),
  'the limits': (books) => books.limits(),
  'an exclusion': (books) => books.isExcluded(),
  'a balance': (books) => books.balance('USDG'),
  'the permissions': (books) => books.permissions(['demo', 'demo-two']),
  'a statement': (books) => books.statement(statementFrom(now() - 20_000)),
  'a page of a statement': (books) => books.statement({ ...statementFrom(0), cursor: 7 }),
}

const statementFrom = (from: number): StatementQuery => ({
  partner: 'demo',
  token: 'USDG',
  from,
  to: now(),
  cursor: 0,
  limit: 10,
})

/** What a ledger has in memory once it has read its schema and its latest entry takes two. */
const FEW: Record<string, number> = {
  ...Object.fromEntries(Object.keys(READS).map((read) => [read, 3])),
  'the state': 2,
  'the next play': 2,
  'the next play and the open game': 2,
  'a bet that was never made': 2,
  'an exclusion': 2,
  'a balance': 2,
}

describe('a ledger that wakes up answers each read in at most three statements:', () => {
  async function statementsOfReads(player: Player): Promise<Record<string, number>> {
    const books = ledger(env, player.wallet)
    const counts: Record<string, number> = {}
    for (const [name, read] of Object.entries(READS)) {
      counts[name] = (await statementsOfWaking(books, () => read(books))).length
    }
    return counts
  }

  it('of a player without limits', async () => {
    const alice = await fundedPlayer(0)
    await playAround(alice, 3, 4)
    expect(await statementsOfReads(alice)).toEqual(FEW)
  })

  it('of a player with limits, permissions and debits', async () => {
    const alice = await fundedPlayer(0)
    await playAround(alice, 2, 3)
    for (const kind of ['wager', 'loss', 'deposit']) {
      for (const window of ['day', 'week', 'month'])
        await setLimit(alice, kind, '900000000', window)
    }
    await playAround(alice, 1, 6)
    await grant(alice)
    const debit = await new Platform(OTHER_DEV_PARTNER).transact(alice, '-1')
    expect(debit.status).toBe(200)
    expect(await statementsOfReads(alice)).toEqual(FEW)
  })

  it('with one more where an old play or bet, or the session’s start, is among more than 128 entries', async () => {
    const alice = await fundedPlayer(0)
    await playAround(alice, 3, 60)
    expect(await statementsOfReads(alice)).toEqual({
      ...FEW,
      'the limits': 4,
      'the first play': 4,
      'an old play': 4,
      'the latest play': 4,
      'how an old bet ended': 4,
    })
  })
})

it('a ledger that wakes up reads its schema and its latest entry before it answers, and no more', async () => {
  const alice = await fundedPlayer(0)
  const { roundId } = await openRound()
  await alice.play()
  await alice.bet('1000000')
  const books = ledger(env, alice.wallet)
  await evictDurableObject(books)
  const roundNow: RoundNow = { roundId, phase: 'betting', multiplier: 100, decidedTokens: [] }
  const statements = await statementsOf(() => books.me(roundNow))
  expect(statements).toEqual([
    expect.stringContaining('FROM sqlite_master'),
    expect.stringMatching(/FROM outbox .* FROM journal_1 ORDER BY seq DESC LIMIT 1/s),
  ])
  expect(await statementsOf(() => books.me(roundNow))).toEqual([])
})

it('a round that wakes up reads its schema, its row and its bets before it answers, and no more', async () => {
  const alice = await fundedPlayer(0)
  const { roundId } = await openRound()
  await alice.bet('1000000')
  const round = crashRound(env, roundId)
  await round.outcome('bet:never-placed')
  await evictDurableObject(round)
  const statements = await statementsOf(() => round.view())
  expect(statements).toEqual([
    expect.stringContaining('FROM sqlite_master'),
    expect.stringMatching(/FROM \(SELECT 1\) LEFT JOIN round$/),
    expect.stringMatching(/FROM bets UNION ALL .*FROM tombstones/s),
  ])
  expect(await statementsOf(() => round.view())).toEqual([])
})

it('a table that wakes up reads its schema, its state and what it shows before it answers, and no more', async () => {
  const alice = await fundedPlayer(0)
  const ended = await openRound()
  await alice.bet('1000000', { autoCashout: 1.01 })
  await endRound(ended)
  // After the results, or an erased round would have the table open another one.
  pass(30_000)
  await openRound()
  const table = crashTable(env)
  await table.snapshot()
  // Watching the storage wakes the table.
  const statements = await statementsOf(async () => {
    await evictDurableObject(table)
    await table.snapshot()
  })
  const ownStatements = statements.filter((statement) => !statement.includes('FROM versions'))
  expect(ownStatements).toEqual([
    expect.stringContaining('FROM sqlite_master'),
    expect.stringMatching(/FROM activity\).*FROM told_modes\)/),
    expect.stringMatching(/'newest'.*'settled'.*'win'/s),
  ])
  expect(await statementsOf(() => table.snapshot())).toEqual([])
})

it('a log that wakes up reads its schema, the edge of its tree and the state of its archive before it signs a checkpoint, and no more', async () => {
  const log = transparencyLog(env)
  for (let id = 0; id < 300; id++)
    await log.append({ kind: 'plan', id: String(id), at: now(), text: 'x' })
  const before = await log.checkpoint()
  expect(before).toContain('\n300\n')
  await evictDurableObject(env.TRANSPARENCY_LOG.getByName('main'))
  let after = ''
  const statements = await statementsOf(async () => {
    after = await log.checkpoint()
  })
  expect(after).toBe(before)
  expect(statements.slice(0, 3)).toEqual([
    expect.stringContaining('FROM sqlite_master'),
    expect.stringMatching(/FROM entries.*UNION ALL.*tiles/s),
    expect.stringContaining('FROM archive'),
  ])
  // Then it looks, for the next entry, whether its archive agrees. The answer doesn't wait for that.
  expect(statements.slice(3).join()).not.toContain('sqlite_master')
})

it('a Control that wakes up reads its schema, its newest version and what is in force, and no more', async () => {
  await watch()
  await setModes('limbo=closed')
  await evictDurableObject(control(env))
  const statements = await statementsOf(() => control(env).modes())
  const ownStatements = statements.filter((statement) => !statement.includes('FROM entries'))
  expect(ownStatements).toEqual([
    expect.stringContaining('FROM sqlite_master'),
    expect.stringContaining('number = (SELECT max(number) FROM versions)'),
    expect.stringContaining('takes_effect_at <= ?'),
  ])
})

it('the first bet of a ledger that woke up runs one statement there, and never reads the size of a small journal', async () => {
  const alice = await fundedPlayer(0)
  await openRound()
  await alice.play()
  await evictDurableObject(ledger(env, alice.wallet))
  await alice.state()
  const sizes = await runInDurableObject(ledger(env, alice.wallet), (_, { storage }) =>
    vi.spyOn(Object.getPrototypeOf(storage.sql) as SqlStorage, 'databaseSize', 'get'),
  )
  const statements = await statementsOf(() => alice.bet('1000000'))
  expect(statements).toEqual([
    expect.stringContaining('INSERT INTO journal_1'),
    expect.stringContaining('TABLE IF NOT EXISTS bets'),
    expect.stringContaining('INSERT INTO bets'),
  ])
  expect(sizes).not.toHaveBeenCalled()
})

it('a ledger that woke up updates D1 after its next movement, whichever messages already wait', async () => {
  const alice = await fundedPlayer(0)
  const books = ledger(env, alice.wallet)
  const waiting = () => rowsOf(books, 'SELECT kind FROM outbox')
  await alice.play({ nonce: 0 })
  await evictDurableObject(books)
  await alice.play({ nonce: 1 })
  expect(await waiting()).toEqual([{ kind: 'projection' }])
  pass(300_000)
  await ringLedger(alice)
  await evictDurableObject(books)
  expect(await waiting()).toEqual([])
  await runInDurableObject(books, (_, { storage }) => {
    storage.sql.exec(`INSERT INTO outbox (kind, payload, due_at) VALUES ('payout', '', 9e15)`)
  })
  await evictDurableObject(books)
  await alice.play({ nonce: 2 })
  expect(await waiting()).toEqual([{ kind: 'payout' }, { kind: 'projection' }])
})
