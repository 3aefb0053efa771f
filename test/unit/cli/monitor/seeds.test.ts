import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { batchClosedEntry, batchId, batchOpenEntry } from '../../../../src/box-nft/log-entries.ts'
import type { MonitorState } from '../../../../src/cli/monitor/state.ts'
import { canonicalJson } from '../../../../src/core/canonical-json.ts'
import { sha256Hex } from '../../../../src/core/sha256.ts'
import { DAY_MS, dateOf } from '../../../../src/core/utc-day.ts'
import { seedHashEntry } from '../../../../src/lootbox/log-entries.ts'
import type { LogEntry } from '../../../../src/transparency/entry.ts'
import { predecessorEntry } from '../../../../src/transparency/predecessor.ts'
import { termsSummary, type TermsSummary } from '../../../../src/transparency/terms.ts'
import { House, playedRound } from './house.ts'
import { foundBy, kept, monitorOf } from './watching.ts'

const round = playedRound()
const { at: PLANNED_AT } = round.plan

/** The plan of a round, and its terms, which offer a lootbox or don't. */
function planned({ hasLootbox = true }: { hasLootbox?: boolean } = {}): LogEntry[] {
  const others = round.terms['terms'] as object as TermsSummary
  const terms = { ...others, lootbox: hasLootbox ? { price: '1' } : null }
  const named = { ...round.terms, id: termsSummary(terms).hash, terms } as LogEntry
  return [named, { ...round.plan, terms: named.id }]
}

const dayAfter = (days: number) => dateOf(PLANNED_AT + days * DAY_MS)
const beginOf = (day: string) => Date.parse(day)

function committed(day: string, committedAt: number): LogEntry {
  const [seedHash, pepperHash] = ['aa'.repeat(32), 'bb'.repeat(32)]
  return seedHashEntry({ day, seedHash, pepperHash, committedAt })
}

let house: House

beforeEach(() => {
  house = new House()
  vi.stubGlobal('fetch', house.fetch)
})
afterEach(() => {
  vi.useRealTimers()
})

/** What is found in a commitment that the log did not have at some time, by a monitor started again meanwhile. */
async function foundIn(commitment: LogEntry, absentAt: number, before: LogEntry[] = planned()) {
  house.append(...before)
  vi.setSystemTime(PLANNED_AT + 600_000)
  const first = monitorOf(house)
  expect(await foundBy(first)).toEqual([])
  const second = monitorOf(house, { state: kept(first) })
  vi.setSystemTime(absentAt)
  expect(await foundBy(second)).toEqual([])
  house.append(commitment)
  vi.setSystemTime(absentAt + 60_000)
  return foundBy(second)
}

const CLAIM = 'each day of the lootbox is committed to before it begins'

describe('the commitment to a lootbox day, two days after a round under terms that offer one,', () => {
  const day = dayAfter(2)
  const early = beginOf(day) - DAY_MS

  it('proves a breach if it is public only after the day has begun, whatever time it carries', async () => {
    expect(await foundIn(committed(day, early), beginOf(day) + 5_000)).toBe(CLAIM)
  })

  it('proves nothing within a few seconds, by which deliveries and clocks may be late', async () => {
    expect(await foundIn(committed(day, early), beginOf(day) + 4_999)).toEqual([])
  })

  it('proves a breach by its own time at the first contact', async () => {
    house.append(...planned(), committed(day, beginOf(day) + 5_000))
    vi.setSystemTime(beginOf(day) + DAY_MS)
    expect(await foundBy(monitorOf(house))).toBe(CLAIM)
  })

  it('proves nothing if the log succeeds another one, which may have it', async () => {
    const succession = predecessorEntry('localhost:8787/log', null, PLANNED_AT)
    const log = [succession, ...planned()]
    expect(await foundIn(committed(day, early), beginOf(day) + DAY_MS + 600_000, log)).toEqual([])
  })
})

describe('the commitment to another day', () => {
  const late = (day: string) => committed(day, beginOf(day) - 3_600_000)

  it.each([
    ['after an outage of days', 4, planned()],
    ['on the day after the round', 1, planned()],
  ])('is only reported if it comes after the day has begun, %s', async (_when, days, log) => {
    const day = dayAfter(days)
    const absentAt = beginOf(day) + 3_600_000
    expect(await foundIn(late(day), absentAt, log)).toEqual([
      expect.stringMatching(/^A commitment came late: .* by your clock/),
    ])
  })

  it('is not a breach for a new lootbox, but is reported once the day has ended', async () => {
    const log = planned({ hasLootbox: false })
    const day = dayAfter(2)
    const noon = beginOf(day) + DAY_MS / 2
    expect(await foundIn(committed(day, noon), noon, log)).toEqual([])
    house = new House()
    vi.stubGlobal('fetch', house.fetch)
    expect(await foundIn(committed(day, noon), beginOf(day) + DAY_MS + 5_000, log)).toEqual([
      expect.stringMatching(/^A commitment came late/),
    ])
  })
})

it('reports a batch of boxes whose pepper is not published for a month, once', async () => {
  const opened = batchOpenEntry(5, 'aa'.repeat(32), PLANNED_AT)
  house.append(opened)
  const watching = monitorOf(house)
  for (const [days, found] of [
    [29, []],
    [30, [expect.stringContaining('batch 5 of boxes')]],
    [31, []],
  ] as const) {
    vi.setSystemTime(PLANNED_AT + days * DAY_MS)
    expect(await foundBy(watching)).toEqual(found)
  }
  house.append(batchClosedEntry(5, 'aa'.repeat(32), PLANNED_AT + 31 * DAY_MS))
  expect(await foundBy(watching)).toBe('the secret of batch 5 matches its logged hash')
})

describe('a batch that is logged by the name of its contract', () => {
  const [OWN, FORMER] = ['ab', 'cd'].map((byte) => `0x${byte.repeat(20)}`) as [string, string]
  const NAMED = batchId({ chainId: 1, contract: OWN, batch: 1 })
  const MISNAMED = /^a batch of boxes is named by its contract only if another/

  function termsOf(contract: string, at: number): LogEntry {
    const terms = { boxes: { chainId: 1, contract } }
    return { kind: 'terms', id: sha256Hex(canonicalJson(terms)), at, terms }
  }

  const opened = (id: string | number) => batchOpenEntry(id, 'aa'.repeat(32), PLANNED_AT)

  /** Returns what a monitor finds that is started again after each entry. */
  async function foundInAll(entries: LogEntry[], state: MonitorState | null = null) {
    vi.setSystemTime(PLANNED_AT + DAY_MS)
    let watching = monitorOf(house, { state })
    for (const entry of entries) {
      house.append(entry)
      const found = await foundBy(watching)
      if (typeof found === 'string') return found
      watching = monitorOf(house, { state: kept(watching) })
    }
    return []
  }

  it('is a breach if the number is not that of another contract', async () => {
    expect(await foundInAll([termsOf(OWN, 0), opened(1), opened(NAMED)])).toMatch(MISNAMED)
  })

  it.each([
    ['dated as it was logged', PLANNED_AT + 1],
    ['dated back', 0],
  ])('is a breach if another contract came only later, %s', async (_how, at) => {
    const entries = [termsOf(OWN, 0), opened(1), termsOf(FORMER, at)]
    expect(await foundInAll([...entries, opened(NAMED)])).toMatch(MISNAMED)
  })

  it('is a breach if the log does not have the number', async () => {
    expect(await foundInAll([termsOf(FORMER, 0), termsOf(OWN, 1), opened(NAMED)])).toMatch(MISNAMED)
  })

  it.each<[string, LogEntry[]]>([
    ['had the number', [termsOf(FORMER, 0), opened(1), termsOf(OWN, 1)]],
    [
      'had the number before the log had any terms',
      [opened(1), termsOf(FORMER, PLANNED_AT + 3_600_001), termsOf(OWN, PLANNED_AT + 3_600_002)],
    ],
    [
      'may have had the number in the log before this one',
      [predecessorEntry('localhost:8787/log', null, 0), termsOf(OWN, 1), opened(1)],
    ],
  ])('is none if another contract %s', async (_why, entries) => {
    expect(await foundInAll([...entries, opened(NAMED)])).toEqual([])
  })
})
