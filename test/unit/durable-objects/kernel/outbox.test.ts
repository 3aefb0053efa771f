import { expect, it } from 'vitest'
import { retryDelayMs } from '../../../../durable-objects/kernel/outbox.ts'

const MESSAGES = Array.from({ length: 1_000 }, (_, index) => `Ledger 0x${index} 1`)

it('messages that failed together are not repeated together', () => {
  const delays = MESSAGES.map((message) => retryDelayMs(10, message))
  expect(new Set(delays).size).toBeGreaterThan(200)
  expect(MESSAGES.map((message) => retryDelayMs(10, message))).toEqual(delays)
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
    const delays = MESSAGES.map((message) => retryDelayMs(attempts, message))
    expect([Math.min(...delays), Math.max(...delays)]).toEqual(range)
  },
)
