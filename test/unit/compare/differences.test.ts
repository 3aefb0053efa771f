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

/** A recording of one story answered with these bodies. */
function recording(bodies: (string | object)[], told: Told = {}): Recording {
  const { status = 200, headers = {}, startedAt = NOON, names = {} } = told
  return {
    startedAt,
    names,
    faults: [],
    exchanges: bodies.map((body, index) => ({
      name: `story: ${index}`,
      request: { method: 'GET', path: `/api/${index}` },
      answer: { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) },
    })),
  }
}

const differing = (before: (string | object)[], after: (string | object)[]) =>
  differences(recording(before), recording(after)).length

describe('accepts', () => {
  it('another random value', () => {
    expect(differing([{ seed: SEED }], [{ seed: OTHER_SEED }])).toBe(0)
  })

  it('another time', () => {
    expect(differing([{ at: NOON + 5 }], [{ at: NOON + 7 }])).toBe(0)
  })

  it('another date the same number of days from the recording', () => {
    const later = recording([{ day: '2026-03-03' }], { startedAt: NOON + 86_400_000 })
    expect(differences(recording([{ day: '2026-03-02' }]), later)).toEqual([])
  })

  it('another message', () => {
    const refused = (message: string) => ({ ok: false, error: { code: 'closed', message } })
    expect(differing([refused('Come back.')], [refused('Try again later.')])).toBe(0)
  })

  it('other prose in the OpenAPI document', () => {
    const document = (yaml: string) =>
      recording([yaml], { headers: { 'content-type': 'application/yaml; charset=utf-8' } })
    const before = document('params:\n  type: object\n  description: Chosen.')
    expect(differences(before, document('params: { type: object }'))).toEqual([])
    expect(differences(before, document('params: { type: string }'))).toHaveLength(1)
  })

  it('another contract address', () => {
    const before = recording([{ to: VAULT }], { names: { [VAULT]: 'vault' } })
    const other = VAULT.replace('98', '99')
    const after = recording([{ to: other }], { names: { [other]: 'vault' } })
    expect(differences(before, after)).toEqual([])
  })
})

describe('reports', () => {
  it.each<[string, string | object, string | object]>([
    ['a renamed key', { ok: true, seed: SEED }, { ok: true, secret: SEED }],
    ['another order of keys', { ok: true, roll: 1 }, { roll: 1, ok: true }],
    ['other white space', '{"ok":true}', '{"ok": true}'],
    ['an additional key', { ok: true }, { ok: true, more: null }],
    ['another value', { edgeBps: 100 }, { edgeBps: 200 }],
    ['a number written another way', '{"balance":1.0}', '{"balance":1}'],
    ['another type', { amount: '5' }, { amount: 5 }],
    ['another code', { error: { code: 'closed' } }, { error: { code: 'internal' } }],
    ['a missing message', { error: { message: 'No.' } }, { error: { message: null } }],
    ['an added 0x', { seed: SEED }, { seed: `0x${SEED}` }],
    ['another length of a random value', { seed: SEED }, { seed: `${SEED}ab` }],
    ['a day at another distance', { day: '2026-03-02' }, { day: '2026-03-03' }],
    ['another plain text', 'pong', 'ping'],
  ])('%s', (_what, before, after) => {
    expect(differing([before], [after])).toBe(1)
  })

  it('a random value that no longer equals an earlier one', () => {
    const before = [{ next: SEED }, { seed: SEED }]
    expect(differing(before, [{ next: SEED }, { seed: OTHER_SEED }])).toBe(1)
    expect(differing(before, [{ next: OTHER_SEED }, { seed: OTHER_SEED }])).toBe(0)
  })

  it('another status and a missing header', () => {
    const before = recording([{}], { headers: { 'cache-control': 'no-store' } })
    expect(differences(before, { ...before, ...recording([{}], { status: 202 }) })).toHaveLength(1)
    expect(differences(before, recording([{}]))).toHaveLength(1)
  })

  it('missing and additional exchanges', () => {
    expect(differing([{}, {}], [{}])).toBe(1)
    expect(differing([{}], [{}, {}])).toBe(1)
  })
})

it('names the exchange and shows the lines that differ', () => {
  const [text] = differences(recording([{ ok: true, roll: 1 }]), recording([{ ok: true, rol: 1 }]))
  expect(text).toContain('story: 0\n')
  expect(text).toContain('  - "roll":1}')
  expect(text).toContain('  + "rol":1}')
})
