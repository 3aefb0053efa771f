import { describe, expect, it } from 'vitest'
import { CommitQueue } from '../../../durable-objects/kernel/commit-queue.ts'
import { transact } from '../../../durable-objects/kernel/transact.ts'
import { column, inBlankObject } from './support.ts'

/** A queue over a table, with a clock that advances on each call. */
class Table {
  readonly queue: CommitQueue
  readonly #sql: SqlStorage
  flushes = 0
  #now = 0

  constructor({ storage }: DurableObjectState) {
    this.#sql = storage.sql
    this.#sql.exec('CREATE TABLE commits (name TEXT NOT NULL, at INTEGER NOT NULL) STRICT')
    this.queue = new CommitQueue(
      (work) => transact(storage, work),
      () => ++this.#now,
      () => this.flushes++,
    )
  }

  /** Queues an insert. */
  insert(name: string): Promise<number> {
    return this.queue.run((at) => this.#insert(name, at))
  }

  /** Queues an insert that fails afterwards. */
  fail(name: string): Promise<number> {
    return this.queue.run((at) => {
      this.#insert(name, at)
      throw new Error(`${name} fails`)
    })
  }

  names(): SqlStorageValue[] {
    return column(this.#sql, 'SELECT name FROM commits ORDER BY rowid')
  }

  #insert(name: string, at: number): number {
    this.#sql.exec('INSERT INTO commits (name, at) VALUES (?, ?)', name, at)
    return at
  }
}

const inTable = (work: (table: Table) => Promise<void>) =>
  inBlankObject((ctx) => work(new Table(ctx)))

describe('the commit queue', () => {
  it('commits the calls of one turn together, in the order and at the times of arrival', async () => {
    await inTable(async (table) => {
      const waiting = Promise.all([table.insert('a'), table.insert('b'), table.insert('c')])
      expect(table.names()).toEqual([])
      expect(await waiting).toEqual([1, 2, 3])
      expect(table.names()).toEqual(['a', 'b', 'c'])
      expect(table.flushes).toBe(1)
      expect(await table.insert('d')).toBe(4)
      expect(table.flushes).toBe(2)
    })
  })

  it('rolls back only the operation that fails', async () => {
    await inTable(async (table) => {
      const results = await Promise.allSettled([
        table.insert('a'),
        table.fail('b'),
        table.insert('c'),
      ])
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      await expect(table.fail('d')).rejects.toThrow('d fails')
      expect(table.names()).toEqual(['a', 'c'])
    })
  })

  it('commits waiting operations at once when a caller bypasses the queue', async () => {
    await inTable(async (table) => {
      const waiting = table.insert('a')
      table.queue.flush()
      expect(table.names()).toEqual(['a'])
      table.queue.flush()
      expect(table.flushes).toBe(1)
      expect(await waiting).toBe(1)
    })
  })

  it('commits calls that arrive during a commit in another turn', async () => {
    await inTable(async (table) => {
      const inner = table.queue
        .run(() => ({ later: table.insert('inner') }))
        .then(({ later }) => later)
      const outer = table.insert('outer')
      table.queue.flush()
      expect(table.names()).toEqual(['outer'])
      await Promise.all([inner, outer])
      expect(table.names()).toEqual(['outer', 'inner'])
    })
  })

  it('reports that it is full at ten thousand operations, until they are committed', async () => {
    await inTable(async (table) => {
      const waiting = Array.from({ length: 9_999 }, () => table.queue.run((at) => at))
      expect(table.queue.isFull()).toBe(false)
      waiting.push(table.queue.run((at) => at))
      expect(table.queue.isFull()).toBe(true)
      table.queue.flush()
      expect(table.queue.isFull()).toBe(false)
      expect((await Promise.all(waiting)).at(-1)).toBe(10_000)
    })
  })
})
