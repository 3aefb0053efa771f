import { expect, it } from 'vitest'
import { projectionDelayMs } from '../../../src/ledger/capacity.ts'

const SECONDS = 1_000

it('wallets that move together are sent to D1 over minutes, each always after the same time', () => {
  const wallets = Array.from(
    { length: 2_000 },
    (_, n) => `0x${(n * 2_654_435_761).toString(16).padStart(40, '0')}`,
  )
  const delays = wallets.map(projectionDelayMs)
  expect(wallets.map(projectionDelayMs)).toEqual(delays)
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(150 * SECONDS)
  expect(Math.max(...delays)).toBeLessThanOrEqual(300 * SECONDS)
  const inSecond = new Map<number, number>()
  for (const delay of delays) {
    const second = Math.floor(delay / SECONDS)
    inSecond.set(second, (inSecond.get(second) ?? 0) + 1)
  }
  expect(Math.max(...inSecond.values())).toBeLessThan(40)
})

it('the house is sent after half the longest time', () => {
  expect(projectionDelayMs('house')).toBe(150 * SECONDS)
})
