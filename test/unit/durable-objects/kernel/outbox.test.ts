import { expect, it } from 'vitest'
import { retryDelayMs } from '../../../../durable-objects/kernel/outbox.ts'

it('messages that failed together are not repeated together', () => {
  const delays = new Set(Array.from({ length: 100 }, () => retryDelayMs(10)))
  expect(delays.size).toBeGreaterThan(10)
})

it.each([
  [1, 500, 1_000],
  [4, 4_000, 8_000],
  [9, 128_000, 256_000],
  [10, 150_000, 300_000],
  [1_000, 150_000, 300_000],
])(
  'attempt %i waits for half its planned delay or more, five minutes at most',
  (attempts, ...range) => {
    expect([0, 1].map((share) => retryDelayMs(attempts, share))).toEqual(range)
  },
)
