import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { ledger } from '../../src/objects.ts'
import { fundedPlayer, openRound, useStories } from './support.ts'
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
  const now = { roundId, phase: 'betting', multiplier: 100 } as const
  const statements = await statementsOf(() => books.me(now))
  expect(statements).toEqual([
    expect.stringContaining('FROM sqlite_master'),
    expect.stringContaining('FROM journal_1 ORDER BY seq DESC LIMIT 1'),
  ])
  expect(await statementsOf(() => books.me(now))).toEqual([])
})
