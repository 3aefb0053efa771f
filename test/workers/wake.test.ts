import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { control, crashRound, crashTable, ledger } from '../../src/calls/objects.ts'
import type { RoundNow } from '../../src/crash/due.ts'
import { setModes } from './operator.ts'
import {
  endRound,
  fundedPlayer,
  openRound,
  pass,
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

it('a ledger that wakes up reads its schema and its latest entry before it answers, and no more', async () => {
  const alice = await fundedPlayer(0)
  const { roundId } = await openRound()
  await alice.play()
  await alice.bet('1000000')
  const books = ledger(env, alice.wallet)
  await evictDurableObject(books)
  const now: RoundNow = { roundId, phase: 'betting', multiplier: 100, decidedTokens: [] }
  const statements = await statementsOf(() => books.me(now))
  expect(statements).toEqual([
    expect.stringContaining('FROM sqlite_master'),
    expect.stringMatching(/FROM outbox .* FROM journal_1 ORDER BY seq DESC LIMIT 1/),
  ])
  expect(await statementsOf(() => books.me(now))).toEqual([])
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
