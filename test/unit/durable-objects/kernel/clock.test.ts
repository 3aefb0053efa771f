import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Clock } from '../../../../durable-objects/kernel/clock.ts'

beforeEach(() => void vi.useFakeTimers({ now: 1_000 }))
afterEach(() => void vi.useRealTimers())

describe('an object’s clock', () => {
  it('shows the time of its machine', () => {
    const clock = new Clock()
    expect(clock.now()).toBe(1_000)
    vi.setSystemTime(2_000)
    expect(clock.now()).toBe(2_000)
  })

  it('never goes back, even if that of its machine does', () => {
    const clock = new Clock()
    clock.now()
    vi.setSystemTime(400)
    expect(clock.now()).toBe(1_000)
  })

  it('shows no time before one that the object has stored', () => {
    const clock = new Clock()
    clock.notBefore(5_000)
    clock.notBefore(3_000)
    expect(clock.now()).toBe(5_000)
    vi.setSystemTime(6_000)
    expect(clock.now()).toBe(6_000)
  })
})
