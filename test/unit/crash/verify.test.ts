import { describe, expect, it } from 'vitest'
import type { DisclosedRound } from '../../../src/crash/disclosure.ts'
import { verifyRound, verifyVoid } from '../../../src/crash/verify.ts'
import type { Check } from '../../../src/fairness/check.ts'
import { commitmentOf } from '../../../src/fairness/seed.ts'
import { disclosedBeacon, disclosedCommitted } from '../builders.ts'
import { DRAND_QUICKNET } from '../vectors.ts'

/** Which of the three things a disclosure claims do not hold. */
function broken(checks: Check[]): string[] {
  const names = ['seed', 'pepper', 'crash', 'seen seed hash', 'seen pepper source']
  return checks.flatMap(({ holds }, index) => (holds ? [] : [names[index] ?? 'another']))
}

const OTHER_SECRET = 'd4'.repeat(32)

type Tampering = [
  what: string,
  alter: (round: DisclosedRound) => Partial<DisclosedRound>,
  fails: string[],
]

const COMMON: Tampering[] = [
  ['round number', ({ roundId }) => ({ roundId: roundId + 1 }), ['crash']],
  ['edge', () => ({ edgeBps: 0 }), ['crash']],
  ['crash point', ({ crash }) => ({ crash: crash + 0.01 }), ['crash']],
  ['seed hash', () => ({ seedHash: commitmentOf(OTHER_SECRET) }), ['seed']],
  ['seed', () => ({ seed: OTHER_SECRET }), ['seed', 'crash']],
  [
    'seed and its hash together',
    () => ({ seed: OTHER_SECRET, seedHash: commitmentOf(OTHER_SECRET) }),
    ['crash'],
  ],
  ['pepper', () => ({ pepper: OTHER_SECRET }), ['pepper', 'crash']],
]

const COMMITTED: Tampering[] = [
  ...COMMON,
  [
    'pepper hash',
    () => ({ pepperSource: { kind: 'committed', pepperHash: commitmentOf(OTHER_SECRET) } }),
    ['pepper'],
  ],
  [
    'source, for a beacon it is not from',
    () => ({ pepperSource: { kind: 'drand-quicknet', round: 1000 } }),
    ['pepper'],
  ],
]

const BEACON: Tampering[] = [
  ...COMMON,
  ['beacon round', () => ({ pepperSource: { kind: 'drand-quicknet', round: 1001 } }), ['pepper']],
  ['signature', () => ({ signature: DRAND_QUICKNET.tampered.signature }), ['pepper']],
  ['signature, for none', () => ({ signature: '' }), ['pepper']],
  [
    'whole beacon, for another true one',
    () => {
      const { round, signature } = DRAND_QUICKNET.beacons[1]
      return { pepperSource: { kind: 'drand-quicknet', round }, signature }
    },
    ['pepper'],
  ],
]

describe.each([
  { source: 'a committed pepper', honest: disclosedCommitted(), tamperings: COMMITTED },
  { source: 'a beacon', honest: disclosedBeacon(), tamperings: BEACON },
])('a disclosed round with $source', ({ honest, tamperings }) => {
  it('passes every check if it is honest', () => {
    const checks = verifyRound(honest, honest)
    expect(checks).toHaveLength(5)
    expect(broken(checks)).toEqual([])
  })

  it('fails against a commitment that the player saw and that is another', () => {
    const seen = { ...honest, seedHash: commitmentOf(OTHER_SECRET) }
    expect(broken(verifyRound(honest, seen))).toEqual(['seen seed hash'])
  })

  it('fails against a pepper source that the player saw and that is another', () => {
    const pepperSource = { kind: 'drand-quicknet', round: 4711 } as const
    const seen = { seedHash: honest.seedHash, pepperSource }
    expect(broken(verifyRound(honest, seen))).toEqual(['seen pepper source'])
  })

  it('fails without a crash where what should be a seed is none', () => {
    expect(broken(verifyRound({ ...honest, seed: 'not hex' }))).toEqual(['seed', 'crash'])
  })

  it.each(tamperings)('with another %s fails exactly there', (_what, alter, fails) => {
    expect(broken(verifyRound({ ...honest, ...alter(honest) }))).toEqual(fails)
  })

  it('with another seed and hash fails against the commitment that the player saw', () => {
    const forged = { ...honest, seed: OTHER_SECRET, seedHash: commitmentOf(OTHER_SECRET) }
    expect(broken(verifyRound(forged, honest))).toContain('seen seed hash')
  })
})

describe('a disclosed void', () => {
  const { roundId, seed, seedHash, pepperSource } = disclosedBeacon()
  const honest = { roundId, seed, seedHash, pepperSource, reason: 'late' }

  it('passes if its seed is the one committed to, and fails with another', () => {
    expect(broken(verifyVoid(honest))).toEqual([])
    expect(broken(verifyVoid({ ...honest, seed: OTHER_SECRET }))).toEqual(['seed'])
  })
})
