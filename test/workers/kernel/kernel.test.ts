import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Kernel, type Part } from '../../../durable-objects/kernel/kernel.ts'
import { isBlank, migrate, schemaOf } from '../../../durable-objects/kernel/migrations.ts'
import { NOBODY } from '../nobody.ts'
import { column, inBlankObject } from './support.ts'

/** Far in the future, so that no alarm fires automatically. */
const NOW = Date.UTC(2040, 0, 1)

/** A part with a table of counts, also kept in memory. */
class Counts implements Part {
  readonly migration: { id: string; sql: string }
  readonly deliver: NonNullable<Part['deliver']>
  readonly delivered: string[] = []
  readonly #kernel: Kernel
  readonly #name: string
  total: number | null = null
  dueAt: number | null = null
  problem: string | null = null

  constructor(kernel: Kernel, name: string) {
    this.#kernel = kernel
    this.#name = name
    this.migration = { id: name, sql: `CREATE TABLE ${name} (count INTEGER NOT NULL) STRICT` }
    this.deliver = { [name]: async (payload) => void this.delivered.push(payload) }
  }

  load(): void {
    this.total = this.#kernel.storage.sql
      .exec<{ total: number }>(`SELECT coalesce(sum(count), 0) AS total FROM ${this.#name}`)
      .one().total
  }

  nextDueAt(): number | null {
    return this.dueAt
  }

  forget(): void {
    this.load()
  }

  audit(): string | null {
    return this.problem
  }

  add(count: number): void {
    this.#kernel.storage.sql.exec(`INSERT INTO ${this.#name} (count) VALUES (?)`, count)
    this.total = (this.total ?? 0) + count
  }
}

/** An object with two parts and an outbox between them. */
function assembled(ctx: DurableObjectState) {
  const kernel = new Kernel(ctx, NOBODY)
  const [apples, pears] = [new Counts(kernel, 'apples'), new Counts(kernel, 'pears')]
  kernel.assemble([apples, kernel.outbox, pears])
  return { kernel, apples, pears }
}

describe('an object made of parts', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW })
    vi.spyOn(console, 'error').mockImplementation(() => {})
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  it('stays blank until it is opened, and then has the tables of all parts', async () => {
    await inBlankObject((ctx) => {
      const { kernel, apples, pears } = assembled(ctx)
      kernel.wake()
      expect([kernel.isOpen, isBlank(ctx.storage), apples.total]).toEqual([false, true, null])
      kernel.open()
      expect([...schemaOf(ctx.storage).keys()]).toEqual(
        expect.arrayContaining(['apples', 'outbox', 'pears']),
      )
      expect([kernel.isOpen, apples.total, pears.total]).toEqual([true, 0, 0])
    })
  })

  it('is open after a restart, and has loaded its memory', async () => {
    await inBlankObject((ctx) => {
      const { kernel, pears } = assembled(ctx)
      kernel.open()
      pears.add(5)
      const restarted = assembled(ctx)
      expect([restarted.kernel.isOpen, restarted.pears.total]).toEqual([true, 5])
    })
  })

  it('does not start on a table that was made in another way', async () => {
    await inBlankObject((ctx) => {
      migrate(ctx.storage, [{ id: 'apples', sql: 'CREATE TABLE apples (weight INTEGER)' }])
      expect(() => assembled(ctx)).toThrow(
        '"apples" was made by another statement than that of "apples"',
      )
    })
  })

  it('delivers each message through the part of its kind', async () => {
    await inBlankObject(async (ctx) => {
      const { kernel, apples, pears } = assembled(ctx)
      kernel.open()
      kernel.outbox.add({ kind: 'pears', payload: 'a pear' }, NOW)
      kernel.outbox.add({ kind: 'apples', payload: 'an apple' }, NOW)
      await kernel.drain()
      expect([apples.delivered, pears.delivered]).toEqual([['an apple'], ['a pear']])
    })
  })

  it('keeps a message of a kind written by a later deployment', async () => {
    await inBlankObject(async (ctx) => {
      const { kernel } = assembled(ctx)
      kernel.open()
      kernel.outbox.add({ kind: 'plums', payload: '' }, NOW)
      await kernel.drain()
      expect(kernel.outbox.has('plums')).toBe(true)
    })
  })

  it('wakes for the earliest due part or message', async () => {
    await inBlankObject(async (ctx) => {
      const { kernel, apples, pears } = assembled(ctx)
      kernel.open()
      kernel.wake()
      expect(await ctx.storage.getAlarm()).toBeNull()
      kernel.outbox.add({ kind: 'pears', payload: '' }, NOW + 30_000)
      kernel.wake()
      expect(await ctx.storage.getAlarm()).toBe(NOW + 30_000)
      apples.dueAt = NOW + 20_000
      pears.dueAt = NOW + 10_000
      kernel.wake()
      expect(await ctx.storage.getAlarm()).toBe(NOW + 10_000)
    })
  })

  it('delivers when its alarm fires, and then sets the alarm for the next due time', async () => {
    await inBlankObject(async (ctx) => {
      const { kernel, apples, pears } = assembled(ctx)
      kernel.open()
      kernel.outbox.add({ kind: 'pears', payload: 'a pear' }, NOW)
      await kernel.run(undefined)
      expect(pears.delivered).toEqual(['a pear'])
      expect(await ctx.storage.getAlarm()).toBeNull()
      await kernel.run(undefined, async () => {
        apples.dueAt = NOW + 10_000
      })
      expect(await ctx.storage.getAlarm()).toBe(NOW + 10_000)
    })
  })

  it('discards the changes of a failed transaction in every part', async () => {
    await inBlankObject((ctx) => {
      const { kernel, apples, pears } = assembled(ctx)
      kernel.open()
      expect(kernel.transact(() => (apples.add(1), 'done'))).toBe('done')
      const failing = () =>
        kernel.transact(() => {
          apples.add(10)
          pears.add(10)
          throw new Error('the disk is full')
        })
      expect(failing).toThrow('the disk is full')
      expect([apples.total, pears.total]).toEqual([1, 0])
      expect(column(ctx.storage.sql, 'SELECT count FROM apples')).toEqual([1])
    })
  })

  it('reports the first problem found by a part', async () => {
    await inBlankObject((ctx) => {
      const { kernel, apples, pears } = assembled(ctx)
      expect(kernel.audit()).toBeNull()
      pears.problem = 'a pear is missing'
      expect(kernel.audit()).toBe('a pear is missing')
      apples.problem = 'an apple is missing'
      expect(kernel.audit()).toBe('an apple is missing')
    })
  })
})
