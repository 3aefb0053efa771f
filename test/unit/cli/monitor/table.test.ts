import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { beaconRound, House, playedRound } from './house.ts'
import { claimOf, monitorOf } from './watching.ts'

const { terms, plan, bets, beacon, beaconAt } = beaconRound()
const BEFORE_CLOSE = bets.at - 1_000
const HASH = 'a1'.repeat(32)
const { seedHash, pepperSource, betsCloseAt, edgeBps } = plan
const OPEN = {
  ...{ roundId: 7, seedHash, pepperSource, betsCloseAt, edgeBps },
  ...{ betsRoot: null, betCount: null },
}
const CLOSED = { ...OPEN, betsRoot: bets['betsRoot'], betCount: bets['betCount'] }

let house: House

beforeEach(() => {
  house = new House()
  vi.stubGlobal('fetch', house.fetch)
})
afterEach(() => {
  vi.useRealTimers()
})

const reads = () => house.requests.filter((request) => request === 'watch').length

/** The claim that is broken if the table shows this while bets are open, and that once they have closed. */
async function claimAfter(open: object | null, closed: object | null): Promise<string | null> {
  const watching = monitorOf(house)
  house.append(terms, plan)
  house.table = open && { ...OPEN, ...open }
  vi.setSystemTime(BEFORE_CLOSE)
  const claim = await claimOf(watching)
  house.append(bets)
  house.table = closed && { ...CLOSED, ...closed }
  vi.setSystemTime(bets.at + 1_000)
  return claim ?? claimOf(watching)
}

describe('the monitor compares the table with the log', () => {
  it('twice in a round, and accuses nobody who shows the same', async () => {
    expect(await claimAfter({}, {})).toBeNull()
    expect(reads()).toBe(2)
  })

  it.each<[string, object | null]>([
    ['another round', { roundId: 6, seedHash: HASH }],
    ['no root yet', { betsRoot: null, betCount: null }],
    ['nothing', null],
  ])('and concludes nothing from a table that shows %s', async (_what, change) => {
    expect(await claimAfter(change, change)).toBeNull()
  })

  it.each<[string, object]>([
    ['seed hash', { seedHash: HASH }],
    ['source of the pepper', { pepperSource: { kind: 'drand-quicknet', round: 1 } }],
    ['close', { betsCloseAt: bets.at + 1 }],
    ['edge', { edgeBps: 1 }],
  ])('and finds another %s', async (_what, change) => {
    const claim = /^the table shows the seed hash/
    expect(await claimAfter(change, {})).toMatch(claim)
    house = new House()
    vi.stubGlobal('fetch', house.fetch)
    expect(await claimAfter({}, change)).toMatch(claim)
  })

  it.each<[string, object]>([
    ['root', { betsRoot: HASH }],
    ['number', { betCount: 9 }],
  ])('and finds another %s of bets', async (_what, change) => {
    expect(await claimAfter({}, change)).toMatch(/^the table shows the root/)
  })

  it('without keeping a table awake that nobody bets at', async () => {
    const watching = monitorOf(house)
    house.append(terms)
    for (const [count, later] of [0, 30_000, 60_000].entries()) {
      const roundId = 7 + count
      const times = { at: plan.at + later, betsCloseAt: bets.at + later }
      const source = { kind: 'drand-quicknet', round: beacon + later / 3_000 }
      const empty = { ...bets, at: times.betsCloseAt, betCount: 0, id: String(roundId) }
      house.append({ ...plan, ...times, pepperSource: source, roundId, id: String(roundId) })
      vi.setSystemTime(BEFORE_CLOSE + later)
      expect(await claimOf(watching)).toBeNull()
      house.append(empty)
      vi.setSystemTime(beaconAt - 500 + later)
      expect(await claimOf(watching)).toBeNull()
    }
    expect(reads()).toBe(2)
  })
})

describe('a pepper that the house knows', () => {
  const local = playedRound()
  const looked = async (origin: string) => (await monitorOf(house, { origin }).look()).notices

  beforeEach(() => {
    const next = { ...local.plan, id: '8', roundId: 8 }
    house.append(local.terms, local.plan, next)
  })

  it('is warned of, once', async () => {
    expect(await looked('https://house.example')).toEqual([
      expect.stringMatching(/^Round 7 takes its pepper from a secret of the house/),
    ])
  })

  it('is usual on this machine', async () => {
    expect(await looked('http://127.0.0.1:8787')).toEqual([])
  })
})
