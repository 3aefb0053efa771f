import { describe, expect, it } from 'vitest'
import type { DisclosedRound } from '../../../src/crash/disclosure.ts'
import type { Check } from '../../../src/fairness/check.ts'
import { beaconPublishedAt } from '../../../src/fairness/drand.ts'
import { commitmentOf } from '../../../src/fairness/seed.ts'
import { verifyRound, verifyVoid } from '../../../src/verify/round.ts'
import { disclosedBeacon, disclosedCommitted } from '../support/builders.ts'
import { BEACON_1000, DRAND_QUICKNET } from '../support/vectors.ts'

const NAMES: [name: string, claim: RegExp][] = [
  ['seed', /^the seed matches/],
  ['pepper', /^the pepper (is|matches)/],
  ['crash', /^seed and pepper give/],
  ['beacon time', /is the first one published after bets closed/],
  ['own clock', /by your own clock$/],
  ['seen seed hash', /^its seed hash is the one you saw/],
  ['seen pepper source', /^its pepper comes from the source announced/],
  ['seen close', /^its bets closed at the announced time/],
  ['seen edge', /^its house edge is the one you saw/],
]

const FROM_BEACON = 'its pepper comes from a public beacon, not from a secret of the house'

const nameOf = ({ claim }: Check) => NAMES.find(([, said]) => said.test(claim))?.[0] ?? claim

/** Returns the claims of a disclosure that fail. */
const broken = (checks: Check[]) => checks.filter(({ holds }) => !holds).map(nameOf)

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
    ['pepper', 'beacon time'],
  ],
]

const BEACON: Tampering[] = [
  ...COMMON,
  [
    'beacon round',
    () => ({ pepperSource: { kind: 'drand-quicknet', round: 1001 } }),
    ['pepper', 'beacon time'],
  ],
  ['close', ({ betsCloseAt }) => ({ betsCloseAt: betsCloseAt + 2_000 }), ['beacon time']],
  ['signature', () => ({ signature: DRAND_QUICKNET.tampered.signature }), ['pepper']],
  ['signature, for none', () => ({ signature: '' }), ['pepper']],
  [
    'whole beacon, for another true one',
    () => {
      const { round, signature } = DRAND_QUICKNET.beacons[1]
      return { pepperSource: { kind: 'drand-quicknet', round }, signature }
    },
    ['pepper', 'beacon time'],
  ],
]

const COMMITTED_CHECKS = ['seed', 'pepper', 'crash', 'seen seed hash', 'seen pepper source']

describe.each([
  {
    source: 'a committed pepper',
    honest: disclosedCommitted(),
    tamperings: COMMITTED,
    checked: [...COMMITTED_CHECKS, 'seen close', 'seen edge'],
  },
  {
    source: 'a beacon',
    honest: disclosedBeacon(),
    tamperings: BEACON,
    checked: [
      ...COMMITTED_CHECKS.toSpliced(3, 0, 'beacon time', 'own clock'),
      'seen close',
      'seen edge',
    ],
  },
])('a disclosed round with $source', ({ honest, tamperings, checked }) => {
  it('passes every check if it is honest', () => {
    const checks = verifyRound(honest, { ...honest, seenAt: honest.openedAt })
    expect(checks.map(nameOf)).toEqual(checked)
    expect(broken(checks)).toEqual([])
  })

  it('fails if its close of bets differs from the one shown to the player', () => {
    const seen = { betsCloseAt: honest.betsCloseAt + 1 }
    expect(broken(verifyRound(honest, seen))).toEqual(['seen close'])
  })

  it('fails if its commitment differs from the one the player saw', () => {
    const seen = { ...honest, seedHash: commitmentOf(OTHER_SECRET) }
    expect(broken(verifyRound(honest, seen))).toEqual(['seen seed hash'])
  })

  it('fails if its pepper source differs from the one the player saw', () => {
    const pepperSource = { kind: 'drand-quicknet', round: 4711 } as const
    const seen = { seedHash: honest.seedHash, pepperSource }
    expect(broken(verifyRound(honest, seen))).toEqual(['seen pepper source'])
  })

  it('fails if its house edge differs from the one the player saw', () => {
    expect(broken(verifyRound(honest, { edgeBps: honest.edgeBps + 1 }))).toContain('seen edge')
  })

  it('fails without an exception if its seed is malformed', () => {
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

describe('a round whose pepper was committed to', () => {
  const honest = disclosedCommitted()

  it('does not verify for a player who watched, but did not see the hash of its pepper', () => {
    const { pepperSource, openedAt: seenAt } = honest
    const [unseen, ...others] = verifyRound(honest, { seenAt }).filter(({ holds }) => !holds)
    expect([unseen?.claim, others]).toEqual([
      'you saw the hash of its pepper before bets closed',
      [],
    ])
    expect(broken(verifyRound(honest, { seenAt, pepperSource }))).toEqual([])
  })
})

describe('a round whose beacon was already known', () => {
  const PLAYED_AT = Date.UTC(2026, 10, 21, 12)

  /** From 2023: the house could try seeds until the crash suited it. */
  const ground = { ...disclosedBeacon(), openedAt: PLAYED_AT, betsCloseAt: PLAYED_AT + 8_000 }

  it('does not verify: the beacon is not the first published after bets closed', () => {
    expect(broken(verifyRound(ground))).toEqual(['beacon time'])
  })

  it('neither verifies nor fails with impossible dates', () => {
    const betsCloseAt = Number.MAX_SAFE_INTEGER
    expect(broken(verifyRound({ ...ground, betsCloseAt }))).toEqual(['beacon time'])
  })

  it('does not verify with a made-up close of bets, by the clock of a player who watched', () => {
    const checks = verifyRound(disclosedBeacon(), { seenAt: PLAYED_AT })
    expect(broken(checks)).toEqual(['own clock'])
    // The page asks the player to check the clock before it accuses the house.
    expect(checks.filter(({ holds }) => !holds)).toMatchObject([{ isByOwnClock: true }])
    expect(broken(verifyRound(disclosedBeacon(), { betsCloseAt: PLAYED_AT }))).toEqual([
      'seen close',
    ])
  })

  it.each([
    ['as the player looked', 0, ['own clock']],
    ['a millisecond later', 1, []],
  ])('published %s is judged to the millisecond', (_when, laterMs, fails) => {
    const honest = disclosedBeacon()
    const seenAt = beaconPublishedAt(BEACON_1000.round) - laterMs
    expect(broken(verifyRound(honest, { seenAt }))).toEqual(fails)
  })
})

describe('a disclosed round of a site, which needs a beacon', () => {
  const { pepper: _pepper, crash: _crash, edgeBps: _edge, ...ended } = disclosedCommitted()
  const seen = { needsBeacon: true }

  it('fails with a pepper that is a secret of the house, crashed or voided', () => {
    expect(broken(verifyRound(disclosedCommitted(), seen))).toEqual([FROM_BEACON])
    expect(broken(verifyVoid({ ...ended, reason: 'late' }, seen))).toEqual([FROM_BEACON])
  })

  it('passes with one', () => {
    expect(broken(verifyRound(disclosedBeacon(), seen))).toEqual([])
  })
})

describe('a disclosed void', () => {
  const { pepper: _pepper, crash: _crash, edgeBps: _edge, ...ended } = disclosedBeacon()
  const honest = { ...ended, reason: 'late' }

  it('passes if its seed matches the commitment, and fails with another', () => {
    expect(broken(verifyVoid(honest))).toEqual([])
    expect(broken(verifyVoid({ ...honest, seed: OTHER_SECRET }))).toEqual(['seed'])
  })

  it('fails if its beacon was not the first after bets closed', () => {
    const betsCloseAt = honest.betsCloseAt + 3_000
    expect(broken(verifyVoid({ ...honest, betsCloseAt }))).toEqual(['beacon time'])
  })
})
