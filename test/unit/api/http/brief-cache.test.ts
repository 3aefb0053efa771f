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
    neverAnswered()
    expect(await get('new')).toBe('new')
  })

  it('keeps a value that was read while an older read failed', async () => {
    const older = begin()
    await get('good')
    older.reject(new Error('down'))
    await expect(older.result).rejects.toThrow('down')
    expect(await get('another')).toBe('good')
  })

  it('keeps the value of the newer read, whichever ends last', async () => {
    const [older, newer] = [begin(), begin()]
    newer.resolve('newer')
    await newer.result
    older.resolve('older')
    expect(await older.result).toBe('older')
    expect(await get('another')).toBe('newer')
  })

  it('does not keep a value whose read began before it was told to forget', async () => {
    const reading = begin()
    cache.forget()
    reading.resolve('old')
    await reading.result
    expect(await get('new')).toBe('new')
  })

  it('reads again at once after a failure', async () => {
    await get('old')
    pass(KEPT_MS)
    const failing = begin()
    failing.reject(new Error('down'))
    await expect(failing.result).rejects.toThrow('down')
    expect(await get('new')).toBe('new')
  })

  it('reads again if the clock has stepped back', async () => {
    await get('old')
    pass(-1)
    expect(await get('new')).toBe('new')
    expect(await get('another')).toBe('new')
  })
})
