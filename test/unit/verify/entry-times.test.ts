import { expect, it } from 'vitest'
import { HOUR_MS } from '../../../src/core/utc-day.ts'
import { EntryTimes } from '../../../src/verify/entry-times.ts'

const AT = 1_795_000_000_000

/** Returns the notices about entries with these times, in order. */
const told = (times: readonly number[], reading = new EntryTimes()) =>
  times.map((at, index) => reading.take({ index, entry: { kind: 'control', id: `${index}`, at } }))

it('tells nothing of entries that are at most an hour late', () => {
  expect(told([AT, AT - HOUR_MS, AT - 1, AT + HOUR_MS, AT])).toEqual([null, null, null, null, null])
})

it('reports backdated entries once', () => {
  const [, first, second, , again] = told([AT, AT - HOUR_MS - 1, 0, AT, 0])
  expect(first).toContain('Entry 1, control 1, is dated back: it has the time 2026-')
  expect([second, again]).toEqual([null, expect.stringContaining('Entry 4')])
})

it('remembers the newest time after a restart', () => {
  const before = new EntryTimes()
  told([AT, 0], before)
  expect(told([AT - 2 * HOUR_MS], new EntryTimes(before.newestAt))).toEqual([
    expect.stringContaining('is dated back'),
  ])
})
