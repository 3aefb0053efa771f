import { describe, expect, it, vi } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { retried } from '../../../src/calls/call.ts'
import { crashRound, crashTable, ledger } from '../../../src/calls/objects.ts'

/** Returns a call that fails this many times before it succeeds, and a count of its attempts. */
function failing(times: number, fault: unknown) {
  const made = { calls: 0 }
  const call = async () => {
    made.calls++
    if (made.calls <= times) throw fault
    return 'answer'
  }
  return { made, call }
}

const moved = Object.assign(new Error('the object moved'), { retryable: true })
const overloaded = Object.assign(new Error('too busy'), { retryable: true, overloaded: true })

describe('a call between objects', () => {
  it('is retried while the platform allows it, three attempts in all', async () => {
    const twice = failing(2, moved)
    expect(await retried(twice.call)).toBe('answer')
    expect(twice.made.calls).toBe(3)
    const thrice = failing(3, moved)
    await expect(retried(thrice.call)).rejects.toBe(moved)
    expect(thrice.made.calls).toBe(3)
  })

  it.each([
    ['a fault of our own', new Error('a bug')],
    ['an overloaded object', overloaded],
    ['a thrown non-error', 'text'],
  ])('is not retried after %s', async (_what, fault) => {
    const once = failing(1, fault)
    await expect(retried(once.call)).rejects.toBe(fault)
    expect(once.made.calls).toBe(1)
  })

  it('has its answer disposed, so that no object waits for the answer to be collected', async () => {
    const dispose = vi.fn()
    const answer = await retried(async () => ({ chips: '7', [Symbol.dispose]: dispose }))
    expect(answer.chips).toBe('7')
    expect(dispose).toHaveBeenCalledOnce()
  })
})

describe('an object', () => {
  /** Returns how each of some objects is asked for. */
  function askedFor(LOCATION: string) {
    const getByName = vi.fn()
    const namespace = { getByName }
    const namespaces = { CRASH_TABLE: namespace, CRASH_ROUND: namespace, LEDGER: namespace }
    const { vars } = unstable_readConfig({ config: 'wrangler.toml' })
    const everything: object = { ...vars, LOCATION, ...namespaces }
    const env = everything as Env
    crashTable(env)
    crashRound(env, 7)
    ledger(env, '0x1')
    return getByName.mock.calls
  }

  it('that all players share is created where the operator says, and a ledger near its player', () => {
    const there = { locationHint: 'weur' }
    expect(askedFor('weur')).toEqual([['main', there], ['7', there], ['0x1']])
  })

  it('is created near its first caller if the operator says nothing', () => {
    expect(askedFor('')).toEqual([['main', {}], ['7', {}], ['0x1']])
  })
})
