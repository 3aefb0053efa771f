import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { migrate } from '../../../durable-objects/kernel/migrations.ts'
import { Outbox, type OutboxMessage } from '../../../durable-objects/kernel/outbox.ts'
import { transact } from '../../../durable-objects/kernel/transact.ts'
import { column, inBlankObject } from './support.ts'

const NOW = 1_000_000

const PAYLOADS = 'SELECT payload FROM outbox ORDER BY id'

/** An outbox that records its deliveries. Payloads in `failing` are rejected. */
class Recorder {
  readonly delivered: string[] = []
  readonly failing = new Set<string>()
  readonly outbox: Outbox
  readonly sql: SqlStorage

  /** The numbers of stuck messages that were reported. */
  readonly reports: number[] = []

  constructor({ storage }: DurableObjectState) {
    this.sql = storage.sql
    const reportStuck = (messages: number) => void this.reports.push(messages)
    const owner = { object: 'Recorder main', reportStuck }
    this.outbox = new Outbox(storage.sql, (message) => this.deliver(message), owner)
    migrate(storage, [this.outbox.migration])
  }

  async deliver({ payload }: OutboxMessage): Promise<void> {
    if (this.failing.has(payload)) throw new Error(`${payload} is not taken`)
    this.delivered.push(payload)
  }

  add(payload: string, dueAt = NOW): number {
    return this.outbox.add({ kind: 'note', payload }, dueAt)
  }

  dueAt(payload: string): number {
    return this.sql
      .exec<{ due_at: number }>('SELECT due_at FROM outbox WHERE payload = ?', payload)
      .one().due_at
  }
}

function inOutbox(work: (recorder: Recorder, ctx: DurableObjectState) => void | Promise<void>) {
  return inBlankObject((ctx) => work(new Recorder(ctx), ctx))
}

describe('the outbox', () => {
  beforeEach(() => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  it('delivers due messages, longest due first, and deletes them', async () => {
    await inOutbox(async (recorder) => {
      recorder.add('second', NOW - 1)
      recorder.add('first', NOW - 2)
      recorder.add('later', NOW + 1)
      expect(recorder.outbox.nextDueAt(NOW)).toBe(NOW - 2)
      await recorder.outbox.drain(NOW)
      expect(recorder.delivered).toEqual(['first', 'second'])
      expect(column(recorder.sql, PAYLOADS)).toEqual(['later'])
      expect(recorder.outbox.nextDueAt(NOW)).toBe(NOW + 1)
      await recorder.outbox.drain(NOW + 1)
      expect(recorder.outbox.size()).toBe(0)
      expect(recorder.outbox.nextDueAt(NOW)).toBeNull()
    })
  })

  it('delivers no message of a transaction that is rolled back', async () => {
    await inOutbox(async (recorder, { storage }) => {
      const undone = () =>
        transact(storage, () => {
          recorder.add('undone')
          throw new Error('the change fails')
        })
      expect(undone).toThrow('the change fails')
      await recorder.outbox.drain(NOW)
      expect(recorder.delivered).toEqual([])
    })
  })

  it('keeps a rejected message, waits longer each time, and delivers the others', async () => {
    await inOutbox(async (recorder) => {
      recorder.failing.add('stuck')
      recorder.add('stuck')
      recorder.add('other')
      const pauses: number[] = []
      for (let now = NOW, tries = 0; tries < 12; tries++) {
        await recorder.outbox.drain(now)
        const dueAt = recorder.dueAt('stuck')
        pauses.push((dueAt - now) / 1_000)
        // It is not retried a moment too early.
        await recorder.outbox.drain(dueAt - 1)
        now = dueAt
      }
      for (const [index, planned] of [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300].entries()) {
        expect(pauses[index]).toBeGreaterThanOrEqual(planned / 2)
        expect(pauses[index]).toBeLessThanOrEqual(planned)
      }
      expect(recorder.delivered).toEqual(['other'])
      recorder.failing.clear()
      await recorder.outbox.drain(recorder.dueAt('stuck'))
      expect(recorder.delivered).toEqual(['other', 'stuck'])
      expect(recorder.outbox.size()).toBe(0)
    })
  })

  it('reports a message from the fifth failed attempt on', async () => {
    await inOutbox(async (recorder) => {
      const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
      recorder.failing.add('stuck')
      recorder.add('stuck')
      for (let tries = 1; tries <= 6; tries++) {
        await recorder.outbox.drain(NOW + tries * 1_000_000)
        expect(logged).toHaveBeenCalledTimes(Math.max(0, tries - 4))
      }
      expect(String(logged.mock.lastCall)).toContain('"object":"Recorder main"')
    })
  })

  it('reports how many messages are stuck, and when none is any more', async () => {
    await inOutbox(async (recorder) => {
      for (const payload of ['one', 'other']) {
        recorder.failing.add(payload)
        recorder.add(payload)
      }
      for (let tries = 1; tries <= 5; tries++) await recorder.outbox.drain(NOW + tries * 1_000_000)
      expect(recorder.reports).toEqual([1, 2])
      recorder.failing.clear()
      await recorder.outbox.drain(NOW + 6_000_000)
      expect(recorder.reports).toEqual([1, 2, 1, 0])
    })
  })

  it('does not start a delivery again while it is in progress', async () => {
    await inOutbox(async (recorder) => {
      let answer = () => {}
      const answered = new Promise<void>((resolve) => (answer = resolve))
      const deliver = vi.spyOn(recorder, 'deliver').mockReturnValue(answered)
      recorder.add('slow')
      const drained = recorder.outbox.drain(NOW)
      await recorder.outbox.drain(NOW)
      expect(deliver).toHaveBeenCalledTimes(1)
      // It is checked again when it has taken too long.
      expect(recorder.outbox.nextDueAt(NOW)).toBe(NOW + 10_000)
      answer()
      await drained
      expect(recorder.outbox.nextDueAt(NOW)).toBeNull()
      expect(recorder.outbox.size()).toBe(0)
    })
  })

  it('counts a delivery that takes longer than ten seconds as failed', async () => {
    await inOutbox(async (recorder) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      vi.spyOn(recorder, 'deliver').mockReturnValueOnce(new Promise(() => {}))
      recorder.add('lost')
      const drained = recorder.outbox.drain(NOW)
      vi.advanceTimersByTime(9_999)
      await Promise.resolve()
      expect(recorder.dueAt('lost')).toBe(NOW)
      vi.advanceTimersByTime(1)
      await drained
      expect(recorder.dueAt('lost')).toBeGreaterThan(NOW)
      await recorder.outbox.drain(NOW + 1_000)
      expect(recorder.delivered).toEqual(['lost'])
    })
  })

  it.each(['before', 'after'] as const)(
    'has a message to deliver again only once if its delivery ends %s the one that takes its place',
    async (order) => {
      await inOutbox(async (recorder) => {
        vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
        const ends: (() => void)[] = []
        vi.spyOn(recorder, 'deliver').mockImplementation(async (message) => {
          await new Promise<void>((end) => ends.push(end))
          recorder.outbox.addAgain(message, NOW + 600_000, NOW + 1_000)
        })
        recorder.add('order')
        const late = recorder.outbox.drain(NOW)
        vi.advanceTimersByTime(10_000)
        await late
        const again = recorder.outbox.drain(NOW + 1_000)
        if (order === 'before') ends.reverse()
        for (const end of ends) {
          end()
          await Promise.resolve()
        }
        await again
        expect(column(recorder.sql, PAYLOADS)).toEqual(['order'])
        expect(recorder.dueAt('order')).toBe(NOW + 600_000)
      })
    },
  )

  it('skips messages delivered by their writer, and deletes them with the next write', async () => {
    await inOutbox(async (recorder) => {
      recorder.outbox.markDelivered(recorder.add('delivered'))
      expect(recorder.outbox.nextDueAt(NOW)).toBeNull()
      expect(column(recorder.sql, PAYLOADS)).toEqual(['delivered'])
      recorder.add('next')
      expect(column(recorder.sql, PAYLOADS)).toEqual(['next'])
      await recorder.outbox.drain(NOW)
      expect(recorder.delivered).toEqual(['next'])
    })
  })

  it('delivers again after a restart if it cannot know that a message arrived', async () => {
    await inOutbox(async (recorder, ctx) => {
      recorder.add('waiting')
      recorder.outbox.markDelivered(recorder.add('delivered'))
      const restarted = new Recorder(ctx)
      await restarted.outbox.drain(NOW)
      expect(restarted.delivered).toEqual(['waiting', 'delivered'])
    })
  })

  it('tries at most a hundred messages at a time', async () => {
    await inOutbox(async (recorder) => {
      for (let index = 0; index < 150; index++) recorder.add(String(index), NOW - 150 + index)
      await recorder.outbox.drain(NOW)
      expect(recorder.delivered).toHaveLength(100)
      expect(recorder.delivered.at(-1)).toBe('99')
      expect(recorder.outbox.nextDueAt(NOW)).toBe(NOW - 50)
      await recorder.outbox.drain(NOW)
      expect(recorder.delivered).toHaveLength(150)
    })
  })

  it('reports whether a message of a kind is waiting', async () => {
    await inOutbox(async (recorder) => {
      const id = recorder.add('one')
      expect([recorder.outbox.has('note'), recorder.outbox.has('other')]).toEqual([true, false])
      recorder.outbox.markDelivered(id)
      expect(recorder.outbox.has('note')).toBe(false)
    })
  })
})
