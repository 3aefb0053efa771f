import { describe, expect, it } from 'vitest'
import { differences } from '../../compare/differences.ts'
import type { Recording } from '../../compare/recording.ts'

const NOON = Date.parse('2026-03-01T12:00:00Z')
const [SEED, OTHER_SEED] = ['ab'.repeat(32), 'cd'.repeat(32)]
const VAULT = '0x98eDDadCfde04dC22a0e62119617e74a6Bc77313'

interface Told {
  status?: number
  headers?: Record<string, string>
  startedAt?: number
  names?: Record<string, string>
}

/** A recording of one story: the same request over and over, with these bodies. */
function recording(bodies: (string | object)[], told: Told = {}): Recording {
  const { status = 200, headers = {}, startedAt = NOON, names = {} } = told
  return {
    ...{ startedAt, names, faults: [] },
    exchanges: bodies.map((body, index) => ({
      name: `story: ${index}`,
      request: { method: 'GET', path: `/api/${index}` },
      answer: { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) },
    })),
  }
}

const differing = (before: (string | object)[], after: (string | object)[]) =>
  differences(recording(before), recording(after)).length

describe('two recordings do not differ', () => {
  it('where a random value is another one', () => {
    expect(differing([{ seed: SEED }], [{ seed: OTHER_SEED }])).toBe(0)
  })

  it('where a moment is another one', () => {
    expect(differing([{ at: NOON + 5 }], [{ at: NOON + 7 }])).toBe(0)
  })

  it('where a day is as far away', () => {
    const later = recording([{ day: '2026-03-03' }], { startedAt: NOON + 86_400_000 })
    expect(differences(recording([{ day: '2026-03-02' }]), later)).toEqual([])
  })

  it('where a message is another one', () => {
    const refused = (message: string) => ({ ok: false, error: { code: 'closed', message } })
    expect(differing([refused('Come back.')], [refused('Try again later.')])).toBe(0)
  })

  it('where a contract has another address', () => {
    const before = recording([{ to: VAULT }], { names: { [VAULT]: 'vault' } })
    const other = VAULT.replace('98', '99')
    const after = recording([{ to: other }], { names: { [other]: 'vault' } })
    expect(differences(before, after)).toEqual([])
  })
})

describe('two recordings differ', () => {
  it.each<[string, string | object, string | object]>([
    ['in the name of a key', { ok: true, seed: SEED }, { ok: true, secret: SEED }],
    ['in the order of keys', { ok: true, roll: 1 }, { roll: 1, ok: true }],
    ['in white space', '{"ok":true}', '{"ok": true}'],
    ['in a key more', { ok: true }, { ok: true, more: null }],
    ['in a value', { edgeBps: 100 }, { edgeBps: 200 }],
    ['in the way a number is written', '{"balance":1.0}', '{"balance":1}'],
    ['in a type', { amount: '5' }, { amount: 5 }],
    ['in a code', { error: { code: 'closed' } }, { error: { code: 'internal' } }],
    ['in a missing message', { error: { message: 'No.' } }, { error: { message: null } }],
    ['in a prefix', { seed: SEED }, { seed: `0x${SEED}` }],
    ['in a length', { seed: SEED }, { seed: `${SEED}ab` }],
    ['in a day', { day: '2026-03-02' }, { day: '2026-03-03' }],
    ['in text that is no JSON', 'pong', 'ping'],
  ])('%s', (_what, before, after) => {
    expect(differing([before], [after])).toBe(1)
  })

  it('where a random value is shared with another answer in one of them alone', () => {
    const before = [{ next: SEED }, { seed: SEED }]
    expect(differing(before, [{ next: SEED }, { seed: OTHER_SEED }])).toBe(1)
    expect(differing(before, [{ next: OTHER_SEED }, { seed: OTHER_SEED }])).toBe(0)
  })

  it('in a status and in a header', () => {
    const before = recording([{}], { headers: { 'cache-control': 'no-store' } })
    expect(differences(before, { ...before, ...recording([{}], { status: 202 }) })).toHaveLength(1)
    expect(differences(before, recording([{}]))).toHaveLength(1)
  })

  it('where an exchange is missing', () => {
    expect(differing([{}, {}], [{}])).toBe(1)
    expect(differing([{}], [{}, {}])).toBe(1)
  })
})

it('names the request and shows the lines that differ', () => {
  const [text] = differences(recording([{ ok: true, roll: 1 }]), recording([{ ok: true, rol: 1 }]))
  expect(text).toContain('story: 0\n')
  expect(text).toContain('  - "roll":1}')
  expect(text).toContain('  + "rol":1}')
})
