import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  doubtOf,
  failingAfterSuccess,
  isCountValid,
  mustSendAgain,
  MAX_DOUBT_MS,
  problemOf,
  type Doubts,
} from '../../../src/vault/trust.ts'
import { forAll } from '../support/for-all.ts'

/** A wallet's net deposit into the vault, and whether a deposit of its own was ever credited. */
interface Position {
  wallet: string
  ETH: bigint
  USDG: bigint
  hasDeposited: boolean
}

const POSITIONS: Position[] = [
  { wallet: 'house', ETH: 500n, USDG: 9_000n, hasDeposited: false },
  { wallet: 'alice', ETH: 0n, USDG: 700n, hasDeposited: true },
  // Won, and withdrew more than it deposited.
  { wallet: 'bob', ETH: -30n, USDG: 0n, hasDeposited: true },
  // Withdrew exactly what it deposited, and still has chips: a dormant winner.
  { wallet: 'carol', ETH: 0n, USDG: 0n, hasDeposited: true },
  // Has chips only from a partner.
  { wallet: 'dave', ETH: 0n, USDG: 0n, hasDeposited: false },
]

/** The totals of the vault's logs if these positions are right and some wallets are recent. */
function standingOf(positions: Position[], recent: string[] = []) {
  const sum = (token: 'ETH' | 'USDG', of: Position[]) =>
    of.reduce((total, position) => total + position[token], 0n)
  const isRecent = ({ wallet }: Position) => recent.includes(wallet)
  return {
    settledPlayers: positions.filter((one) => one.hasDeposited && !isRecent(one)).length,
    net: { ETH: sum('ETH', positions), USDG: sum('USDG', positions) },
    recent: positions.filter(isRecent).map((position) => ({
      wallet: position.wallet,
      net: { ETH: position.ETH, USDG: position.USDG },
    })),
  }
}

/** Sums the positions in D1, without the recent wallets. */
function problemIn(standing: ReturnType<typeof standingOf>, positions: Position[]): string | null {
  const names = new Set(standing.recent.map(({ wallet }) => wallet))
  const settled = positions.filter(({ wallet }) => !names.has(wallet))
  return problemOf(standing, {
    depositors: settled.filter(({ hasDeposited }) => hasDeposited).length,
    vault: {
      ETH: settled.reduce((sum, { ETH }) => sum + ETH, 0n),
      USDG: settled.reduce((sum, { USDG }) => sum + USDG, 0n),
    },
  })
}

const without = (name: string) => POSITIONS.filter(({ wallet }) => wallet !== name)

describe('positions', () => {
  it('are complete if they add up to the vault’s logs, however old they are', () => {
    expect(problemIn(standingOf(POSITIONS), POSITIONS)).toBeNull()
    expect(problemIn(standingOf([]), [])).toBeNull()
  })

  it.each(['house', 'alice', 'bob'])('are incomplete without the position of %s', (wallet) => {
    expect(problemIn(standingOf(POSITIONS), without(wallet))).not.toBeNull()
  })

  it('are incomplete without a dormant winner whose vault account is 0', () => {
    const problem = problemIn(standingOf(POSITIONS), without('carol'))
    expect(problem).toBe('2 of 3 depositors have a position')
  })

  it('are incomplete without a dormant winner, even if another has just deposited', () => {
    const erin = { wallet: 'erin', ETH: 7n, USDG: 0n, hasDeposited: true }
    const standing = standingOf([...POSITIONS, erin], ['erin'])
    expect(problemIn(standing, [...POSITIONS, erin])).toBeNull()
    expect(problemIn(standing, [...without('carol'), erin])).not.toBeNull()
  })

  it('are incomplete if one was restored to an earlier time', () => {
    const older = POSITIONS.map((position) =>
      position.wallet === 'alice' ? { ...position, USDG: 650n } : position,
    )
    expect(problemIn(standingOf(POSITIONS), older)).toContain('USDG')
  })

  it('may miss the most recent changes', () => {
    const standing = standingOf(POSITIONS, ['alice', 'house'])
    expect(problemIn(standing, POSITIONS)).toBeNull()
    expect(problemIn(standing, without('alice'))).toBeNull()
    expect(problemIn(standing, without('bob'))).not.toBeNull()
  })

  it('never hide a lost depositor or a lost amount', () => {
    const position = fc.record({
      ETH: fc.bigInt({ min: -100n, max: 100n }),
      USDG: fc.bigInt({ min: -100n, max: 100n }),
      isRecent: fc.boolean(),
    })
    forAll(fc.array(position, { minLength: 1, maxLength: 8 }), fc.nat(), (drawn, pick) => {
      const all = drawn.map((one, index) => ({
        ...one,
        wallet: String(index),
        hasDeposited: true,
      }))
      const recent = all.filter(({ isRecent }) => isRecent).map(({ wallet }) => wallet)
      const standing = standingOf(all, recent)
      expect(problemIn(standing, all)).toBeNull()
      const lost = all[pick % all.length]
      const rest = all.filter((one) => one !== lost)
      expect(problemIn(standing, rest) === null).toBe(lost?.isRecent)
    })
  })
})

const NOW = 1_700_000_000_000
const NONE: Doubts = { failingSince: null, restoredAt: null, incompleteSince: null }
const ago = (ms: number) => NOW - ms

describe('D1', () => {
  it('is trusted while its heartbeat is written and its positions are complete', () => {
    expect(doubtOf(NONE, NOW)).toBeNull()
    expect(isCountValid(NONE, NOW)).toBe(true)
  })

  it('is behind once its heartbeat has failed for ten minutes', () => {
    expect(doubtOf({ ...NONE, failingSince: ago(599_999) }, NOW)).toBeNull()
    expect(doubtOf({ ...NONE, failingSince: ago(600_000) }, NOW)).toBe('behind')
  })

  it('stays behind for six minutes after a failure, but not after a shorter one', () => {
    const [since, behind, short] = [ago(900_000), ago(300_000), ago(300_001)]
    expect(failingAfterSuccess(since, behind, NOW)).toBe(since)
    expect(failingAfterSuccess(since, short, NOW)).toBeNull()
    expect(failingAfterSuccess(since, behind, NOW + 60_000)).toBeNull()
    expect(failingAfterSuccess(null, behind, NOW)).toBeNull()
  })

  it('is not trusted from the moment a restore or a gap is found', () => {
    expect(doubtOf({ ...NONE, restoredAt: NOW }, NOW)).toBe('restored')
    expect(doubtOf({ ...NONE, incompleteSince: NOW }, NOW)).toBe('incomplete')
  })

  it.each(['failingSince', 'restoredAt', 'incompleteSince'] as const)(
    'keeps the last bankroll count valid for ten minutes: %s',
    (since) => {
      expect(isCountValid({ ...NONE, [since]: ago(MAX_DOUBT_MS - 1) }, NOW)).toBe(true)
      expect(isCountValid({ ...NONE, [since]: ago(MAX_DOUBT_MS) }, NOW)).toBe(false)
    },
  )
})

it('has all positions sent again within five minutes of a doubt, and then once an hour', () => {
  const MINUTE_MS = 60_000
  const since = 100 * MINUTE_MS
  const sends = (startedAt: number | null, after: number, incompleteSince: number | null = since) =>
    mustSendAgain({ incompleteSince }, startedAt, since + after * MINUTE_MS)
  expect(sends(null, 0)).toBe(true)
  expect(sends(null, 0, null)).toBe(false)
  expect(sends(since - 1, 4)).toBe(false)
  expect(sends(since - 1, 5)).toBe(true)
  expect(sends(since - 5 * MINUTE_MS, 0)).toBe(true)
  expect(sends(since, 59)).toBe(false)
  expect(sends(since, 60)).toBe(true)
})
