import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Allowance } from '../../../../src/api/rpc-proxy/allowance.ts'

const KIB = 1_024
const MIB = 1_048_576

let open: Allowance[]

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
  open = []
})

afterEach(() => {
  for (const each of open) each.release()
  vi.useRealTimers()
})

/** Begins an HTTP call that has read a number of bytes. */
function call(bytes: number): Allowance {
  const allowance = new Allowance()
  open.push(allowance)
  allowance.spend(bytes)
  return allowance
}

describe('the bytes that an isolate may hold for its calls', () => {
  it('leave each call 256 KiB, whatever the others hold', () => {
    for (const bytes of [9, 9, 9]) call(bytes * MIB)
    const small = call(256 * KIB)
    expect(small.isExhausted()).toBe(false)
    small.spend(1)
    expect(small.isExhausted()).toBe(true)
  })

  it('are those of the answers if these repeat what was read', () => {
    for (const bytes of [9, 9]) call(bytes * MIB)
    const [one, other] = [call(0), call(0)]
    expect(one.hold(MIB)).toBe(true)
    expect(other.hold(6 * MIB)).toBe(false)
    expect(other.hold(5 * MIB)).toBe(true)
  })

  it('are free again once a call is answered', () => {
    const [first] = [9, 9, 9].map((bytes) => call(bytes * MIB))
    const large = call(MIB)
    expect(large.isExhausted()).toBe(true)
    first?.release()
    expect(large.isExhausted()).toBe(false)
  })

  it('are free again after 40 seconds if a client has hung up', () => {
    for (const bytes of [9, 9, 9]) call(bytes * MIB)
    vi.setSystemTime(Date.now() + 40_000 - 1)
    const large = call(MIB)
    expect(large.isExhausted()).toBe(true)
    vi.setSystemTime(Date.now() + 1)
    expect(large.isExhausted()).toBe(false)
  })
})
