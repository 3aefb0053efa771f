import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BriefCache } from '../../../../src/api/http/brief-cache.ts'

const KEPT_MS = 1_000

let cache: BriefCache<string>

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
  cache = new BriefCache<string>(KEPT_MS)
})

afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms)
const get = (value: string) => cache.get('key', async () => value)
const neverAnswered = () => void cache.get('key', () => new Promise(() => {}))

/** Begins a read that ends when the test says so. */
function begin() {
  let resolve: (value: string) => void = () => {}
  let reject: (fault: Error) => void = () => {}
  const reading = new Promise<string>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { result: cache.get('key', () => reading), resolve, reject }
}

describe('a brief cache', () => {
  it('reads again once its value is too old, and for another key', async () => {
    expect(await get('first')).toBe('first')
    pass(KEPT_MS - 1)
    expect(await get('second')).toBe('first')
    pass(1)
    expect(await get('second')).toBe('second')
    expect(await cache.get('other', async () => 'third')).toBe('third')
  })

  it('answers with the old value while one request reads a newer one', async () => {
    await get('old')
    pass(KEPT_MS)
    const reading = begin()
    expect(await get('another')).toBe('old')
    reading.resolve('new')
    expect(await reading.result).toBe('new')
    expect(await get('another')).toBe('new')
  })

  it('keeps a value for no longer than twice its time, even if no refresh ends', async () => {
    await get('old')
    pass(KEPT_MS)
    neverAnswered()
    pass(KEPT_MS - 1)
    expect(await get('new')).toBe('old')
    pass(1)
    expect(await get('new')).toBe('new')
  })

  it('makes its source work once at a time, however slow it is and however many ask', async () => {
    let reads = 0
    const read = async () => {
      reads++
      await new Promise((resolve) => setTimeout(resolve, 600))
      return `read ${reads}`
    }
    const brief = new BriefCache<string>(125)
    const answers: Promise<string>[] = []
    for (let asked = 0; asked < 180; asked++) {
      answers.push(brief.get('key', read))
      await vi.advanceTimersByTimeAsync(10)
    }
    await vi.advanceTimersByTimeAsync(1_200)
    const all = await Promise.all(answers)
    // Each gets a value that was read after it had asked, or that was young enough then.
    expect(new Set(all)).toEqual(new Set(['read 1', 'read 2', 'read 3', 'read 4']))
    expect(reads).toBe(4)
  })

  it('passes a fault on to all who wait, and for a second to all others', async () => {
    let reads = 0
    const fail = async (): Promise<string> => {
      reads++
      await new Promise((resolve) => setTimeout(resolve, 50))
      throw new Error('down')
    }
    const waiting = Array.from({ length: 9 }, async () => cache.get('key', fail))
    const ended = Promise.allSettled(waiting)
    await vi.advanceTimersByTimeAsync(100)
    for (const { status } of await ended) expect(status).toBe('rejected')
    await expect(get('too early')).rejects.toThrow('down')
    expect(reads).toBe(1)
    pass(1_000)
    expect(await get('new')).toBe('new')
  })

  it('waits no longer than a second for a read that never ends', async () => {
    neverAnswered()
    const next = get('new')
    await vi.advanceTimersByTimeAsync(1_020)
    expect(await next).toBe('new')
  })

  it('waits no longer than that where the clock stands still', async () => {
    vi.useRealTimers()
    vi.useFakeTimers({ now: 1_000_000, toFake: ['Date'] })
    const brief = new BriefCache<string>(KEPT_MS, { askingMs: 60 })
    void brief.get('key', () => new Promise(() => {}))
    expect(await brief.get('key', async () => 'new')).toBe('new')
  })

  it('keeps the value of the newer read, whichever ends last', async () => {
    const older = begin()
    pass(1_000)
    expect(await get('newer')).toBe('newer')
    older.resolve('older')
    expect(await older.result).toBe('older')
    expect(await get('another')).toBe('newer')
  })

  it('keeps a value that was read while an older read failed', async () => {
    const older = begin()
    pass(1_000)
    await get('good')
    older.reject(new Error('down'))
    await expect(older.result).rejects.toThrow('down')
    expect(await get('another')).toBe('good')
    pass(KEPT_MS)
    expect(await get('new')).toBe('new')
  })

  it('does not keep a value whose read began before it was told to forget', async () => {
    const reading = begin()
    cache.forget()
    reading.resolve('old')
    await reading.result
    expect(await get('new')).toBe('new')
  })

  it('can follow a rule instead of an age, and read again right after a fault', async () => {
    const isUsable = ({ value }: { value: string }, _now: number, isAsking: boolean) =>
      isAsking || value === 'lasting'
    cache = new BriefCache<string>(isUsable, { faultMs: 0 })
    expect(cache.latest).toBe(null)
    await get('passing')
    const reading = begin()
    expect(await get('another')).toBe('passing')
    reading.reject(new Error('down'))
    await expect(reading.result).rejects.toThrow('down')
    expect(cache.latest).toBe('passing')
    expect(await get('lasting')).toBe('lasting')
    pass(86_400_000)
    expect(await get('another')).toBe('lasting')
  })

  it('reads again if the clock has stepped back', async () => {
    await get('old')
    pass(-1)
    expect(await get('new')).toBe('new')
    expect(await get('another')).toBe('new')
  })
})
