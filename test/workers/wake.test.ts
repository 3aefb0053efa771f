import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { crashTable, ledger } from '../../src/objects.ts'
import { fundedPlayer, openRound, useStories } from './support.ts'

useStories()

/** Returns the statements that some work runs in all objects. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = []
  const spy = await runInDurableObject(crashTable(env), (_, { storage }: DurableObjectState) => {
    const sql = Object.getPrototypeOf(storage.sql) as SqlStorage
    const exec: SqlStorage['exec'] = Reflect.get(sql, 'exec')
    return vi.spyOn(sql, 'exec').mockImplementation(function (
      this: SqlStorage,
      query,
      ...bindings
    ) {
      statements.push(query)
      return exec.call(this, query, ...bindings) as never
    })
  })
  await work()
  spy.mockRestore()
  return statements
}

it('a ledger that wakes up runs three statements before it answers a read', async () => {
  const alice = await fundedPlayer(0)
  await openRound()
  await alice.play()
  await alice.state()
  const read = () => ledger(env, alice.wallet).me({ roundId: 1, stage: 'betting' } as never)
  await evictDurableObject(ledger(env, alice.wallet))
  const s = await statementsOf(read)
  console.info(JSON.stringify(s, null, 1))
  expect(s).toHaveLength(3)
})
