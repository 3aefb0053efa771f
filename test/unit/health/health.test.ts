import { describe, expect, it } from 'vitest'
import type { Facts } from '../../../src/health/facts.ts'
import { healthOf, PARTS, type PartName } from '../../../src/health/health.ts'
import { THRESHOLDS } from '../../../src/health/thresholds.ts'
import { goodFacts, NOW } from './facts.ts'

type Good = ReturnType<typeof goodFacts>

/** Returns the facts with some changes. */
function facts(change: (good: Good) => void): Facts {
  const good = goodFacts()
  change(good)
  return good
}

const degradedParts = (given: Facts): PartName[] => {
  const { parts, status } = healthOf(given)
  const names = PARTS.filter((name) => parts[name].status === 'degraded')
  expect(status).toBe(names.length === 0 ? 'up' : 'degraded')
  for (const name of names) expect(parts[name].message).toMatch(/^[A-Z].+\.$/)
  return names
}

const voidRound = ({ table }: Good, endedAt: number) => {
  table.current = null
  table.lastReadAt = endedAt - 60_000
  table.newest = { kind: 'voided', endedAt, resultsUntil: endedAt + 4_000, beacon: 75_380_000 }
}

describe('the health of the service', () => {
  it('is up while every part is', () => {
    expect(degradedParts(goodFacts())).toEqual([])
  })

  it.each<[string, PartName[], (good: Good) => void]>([
    [
      'a take-off that waits for its beacon',
      ['beacon'],
      ({ table }) => Object.assign(table.current ?? {}, { stage: 'locked', flightAt: NOW - 5_001 }),
    ],
    [
      'a round that is still there after the time of its void',
      ['table', 'beacon'],
      ({ table }) =>
        Object.assign(table.current ?? {}, {
          stage: 'locked',
          flightAt: NOW - 65_001,
          voidAt: NOW - 5_001,
        }),
    ],
    ['a round that was voided a moment ago', ['beacon'], (good) => voidRound(good, NOW - 1_000)],
    ['one that was voided long ago', [], (good) => voidRound(good, NOW - 600_000)],
    [
      'a table that opens no round although somebody looks',
      ['table'],
      ({ table }) => {
        table.current = null
        table.failingSince = NOW - 15_001
      },
    ],
    [
      'a table that is just opening a round',
      [],
      ({ table }) => {
        table.current = null
        table.failingSince = NOW - 1_000
      },
    ],
    [
      'a table that operators have closed',
      [],
      ({ table }) => {
        table.current = null
        table.failingSince = NOW - 15_001
        table.isOpen = false
      },
    ],
    [
      'a table that nobody looks at',
      [],
      ({ table }) => {
        table.current = null
        table.lastReadAt = NOW - 3_600_000
      },
    ],
    ['a chain that is not read', ['chain'], ({ chain }) => (chain.checkedAt = NOW - 300_001)],
    ['one that never was', ['chain'], ({ chain }) => (chain.checkedAt = null)],
    ['one whose blocks end', ['chain'], ({ chain }) => (chain.blockAt = NOW - 900_001)],
    [
      'a local chain, which has no blocks without transactions',
      [],
      (good) => {
        good.isLocal = true
        good.chain.blockAt = 0
      },
    ],
    [
      'an old withdrawal',
      ['relayer'],
      ({ relayer }) => (relayer.withdrawals.oldestAt = NOW - 3_600_001),
    ],
    ['an old prize', ['relayer'], ({ relayer }) => (relayer.prizes.oldestAt = NOW - 3_600_001)],
    ['a bankroll that does not count', ['bankroll'], ({ bankroll }) => (bankroll.isValid = false)],
    [
      'one that was not counted lately',
      ['bankroll'],
      ({ bankroll }) => (bankroll.countedAt = NOW - 600_001),
    ],
    ['one that never was', ['bankroll'], ({ bankroll }) => (bankroll.countedAt = null)],
    ['a stuck outbox', ['outboxes'], ({ stuck }) => (stuck.oldestAt = NOW - 1)],
    ['a forked log', ['log'], ({ log }) => (log.isForked = true)],
    ['an archive that fails', ['log'], ({ log }) => (log.failingSince = NOW - 60_001)],
    ['a day that is not exported', ['exports'], ({ exports }) => (exports.nextDay = '2040-01-01')],
    ['a day whose books are not counted', ['books'], ({ books }) => (books.nextDay = '2040-01-01')],
    [
      'debts that were not counted',
      ['solvency'],
      ({ solvency }) => Object.assign(solvency.newest ?? {}, { at: NOW - 7_200_001 }),
    ],
    [
      'debts above what the vault holds',
      ['solvency'],
      ({ solvency }) =>
        Object.assign(solvency.newest ?? {}, { ratio: { ETH: '0.999999', USDG: '1' } }),
    ],
    [
      'debts that have never been counted',
      ['solvency'],
      ({ solvency }) => (solvency.newest = null),
    ],
    [
      'debts that have not been counted in the two hours after the first count of the bankroll',
      [],
      ({ solvency, bankroll }) => {
        solvency.newest = null
        bankroll.firstCountedAt = NOW - 7_200_000
      },
    ],
  ])('with %s has these degraded parts: %j', (_what, parts, change) => {
    expect(degradedParts(facts(change))).toEqual(parts)
  })

  it('says which object does not answer', () => {
    const silent = { relayer: 'silent', table: 'silent', control: 'silent' } as const
    const parts = ['table', 'beacon', 'relayer', 'control']
    expect(degradedParts({ ...goodFacts(), ...silent })).toEqual(parts)
  })

  it('leaves out what is not configured', () => {
    const off = {
      chain: 'off',
      relayer: 'off',
      bankroll: 'off',
      log: 'off',
      solvency: 'off',
    } as const
    const health = healthOf({ ...goodFacts(), ...off, hasBeacon: false })
    expect(health.status).toBe('up')
    const statuses = PARTS.filter((name) => health.parts[name].status === 'off')
    expect(statuses).toEqual(['beacon', 'chain', 'relayer', 'bankroll', 'log', 'solvency'])
  })

  it('gives a day two hours for its books, and expects none before the first day that is counted', () => {
    const booksAt = (at: number, nextDay: string | null) =>
      healthOf({ ...goodFacts(), at, books: { nextDay, newestDay: null, databaseBytes: 0 } }).parts
        .books
    const twoOClock = Date.UTC(2040, 0, 3, 2)
    expect(booksAt(twoOClock, '2040-01-02')).toEqual({ status: 'up', ageMs: null, message: null })
    expect(booksAt(twoOClock + 1, '2040-01-02').status).toBe('degraded')
    expect(booksAt(twoOClock + 1, null).status).toBe('up')
  })

  it('tells ages, and no amount, address or count', () => {
    const { parts } = healthOf(goodFacts())
    expect(parts.relayer.ageMs).toBe(300_000)
    expect(parts.bankroll.ageMs).toBe(60_000)
    expect(parts.exports.ageMs).toBe(43_200_000)
    expect(parts.books.ageMs).toBe(43_200_000)
    for (const part of Object.values(parts)) {
      expect(Object.keys(part)).toEqual(['status', 'ageMs', 'message'])
    }
  })

  it('has only positive thresholds', () => {
    for (const ms of Object.values(THRESHOLDS)) expect(ms).toBeGreaterThan(0)
  })
})
