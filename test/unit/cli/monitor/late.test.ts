import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { loggedPlan } from '../../../../src/crash/log-entries.ts'
import { shownLimits } from '../../../../src/crash/plan.ts'
import type { LogEntry } from '../../../../src/transparency/entry.ts'
import { beaconRound, exported, House } from './house.ts'
import { foundBy, kept, monitorOf } from './watching.ts'

const { terms, plan, bets, beaconAt } = beaconRound()
const BEFORE_CLOSE = bets.at - 1_000

let house: House

beforeEach(() => {
  house = new House()
  vi.stubGlobal('fetch', house.fetch)
})
afterEach(() => {
  vi.useRealTimers()
})

/** What is found in entries that the log did not have at some times of looking, with restarts in between. */
async function foundAfter(before: LogEntry[], looksAt: number[], ...late: LogEntry[]) {
  let watching = monitorOf(house)
  house.append(terms, ...before)
  for (const at of looksAt) {
    vi.setSystemTime(at)
    expect(await foundBy(watching)).toEqual([])
    watching = monitorOf(house, { state: kept(watching) })
  }
  house.append(...late)
  vi.setSystemTime(looksAt.at(-1)! + 2_000)
  return foundBy(watching)
}

describe('a plan that is public after its bets closed, whatever time it carries,', () => {
  it('proves a breach', async () => {
    expect(await foundAfter([], [bets.at + 5_000], plan, bets)).toMatch(
      /its plan was public before/,
    )
  })

  it('proves nothing within the age of a cached checkpoint', async () => {
    expect(await foundAfter([], [bets.at + 1_999], plan, bets)).toEqual([])
  })

  it('proves nothing if nobody could bet', async () => {
    expect(await foundAfter([], [bets.at + 5_000], plan, { ...bets, betCount: 0 })).toEqual([])
  })
})

const { seedHash, pepperSource, betsCloseAt, edgeBps } = plan
const CLOSED = {
  roundId: 7,
  seedHash,
  pepperSource,
  betsCloseAt,
  edgeBps,
  betsRoot: bets['betsRoot'],
  betCount: bets['betCount'],
  config: shownLimits(loggedPlan(plan)),
}
const WITHHELD = { ...CLOSED, betsRoot: null, betCount: null }

describe('bets that are public after their beacon, whatever time they carry,', () => {
  it('prove a breach if log and table have answered all the time', async () => {
    house.table = WITHHELD
    expect(await foundAfter([plan], [BEFORE_CLOSE, beaconAt + 5_000], bets)).toMatch(
      /its bets were public before/,
    )
  })

  it('prove a breach if the log has answered with an older checkpoint', async () => {
    house.table = WITHHELD
    const watching = monitorOf(house)
    house.append(terms, plan)
    vi.setSystemTime(BEFORE_CLOSE)
    expect(await foundBy(watching)).toEqual([])
    house.size = 1
    for (let at = BEFORE_CLOSE + 2_000; at < beaconAt + 30_000; at += 2_000) {
      vi.setSystemTime(at)
      expect(await foundBy(watching)).toEqual([])
    }
    house.size = null
    house.append(bets)
    vi.setSystemTime(beaconAt + 30_000)
    expect(await foundBy(watching)).toMatch(/its bets were public before/)
  })

  it('are only reported if the table showed their root while the log took no entries', async () => {
    house.table = CLOSED
    const looksAt = [BEFORE_CLOSE, bets.at + 2_000, beaconAt + 5_000]
    expect(await foundAfter([plan], looksAt, bets)).toEqual([
      expect.stringMatching(/^The bets of round 7 came late: .* only the log was slow/),
    ])
    // While bets were open, once after their close, and once the log has the root.
    expect(house.requests.filter((request) => request === 'watch')).toHaveLength(3)
  })

  it('prove a breach if the table showed another root meanwhile', async () => {
    house.table = { ...CLOSED, betsRoot: 'a1'.repeat(32) }
    const looksAt = [BEFORE_CLOSE, bets.at + 2_000]
    expect(await foundAfter([plan], looksAt, bets)).toMatch(/with the root that the table showed/)
    house = new House()
    vi.stubGlobal('fetch', house.fetch)
    house.table = { ...CLOSED, betCount: 9 }
    const none = { ...bets, betCount: 0 }
    expect(await foundAfter([plan], looksAt, none)).toMatch(/with the root that the table showed/)
  })

  it('are only reported if the table did not answer', async () => {
    expect(await foundAfter([plan], [BEFORE_CLOSE, beaconAt + 5_000], bets)).toEqual([
      expect.stringMatching(/^The bets of round 7 came late: .* An outage/),
    ])
  })

  it('prove a breach if the table showed their root as late as the log', async () => {
    house.table = WITHHELD
    const watching = monitorOf(house)
    house.append(terms, plan)
    for (const at of [BEFORE_CLOSE, beaconAt + 5_000]) {
      vi.setSystemTime(at)
      expect(await foundBy(watching)).toEqual([])
    }
    house.table = CLOSED
    vi.setSystemTime(beaconAt + 7_000)
    expect(await foundBy(watching)).toEqual([])
    house.append(bets)
    vi.setSystemTime(beaconAt + 9_000)
    expect(await foundBy(watching)).toMatch(/its bets were public before/)
  })

  it.each<[string, number[]]>([
    ['within a few seconds, by which alarms and clocks may be late', [beaconAt + 4_999]],
    ['after an outage of the log or of the monitor', [beaconAt + 60_000]],
  ])('are only reported %s', async (_why, looksAt) => {
    house.table = WITHHELD
    expect(await foundAfter([plan], [BEFORE_CLOSE, ...looksAt], bets)).toEqual([
      expect.stringMatching(/^The bets of round 7 came late/),
    ])
  })

  it('are only reported at the first contact', async () => {
    expect(await foundAfter([plan], [beaconAt + 60_000], bets)).toEqual([
      expect.stringMatching(/^The bets of round 7 came late/),
    ])
  })
})

describe('bets that a log which did not answer shows after their beacon', () => {
  const UNSEEN = expect.stringMatching(/^You first saw the bets of round 7 after their beacon/)

  /** What is found once the log answers again. It has not done so at these times. */
  async function foundAfterSilence(silentAt: number[], backAt: number, before = [plan]) {
    const watching = monitorOf(house)
    house.append(terms, ...before)
    vi.setSystemTime(BEFORE_CLOSE)
    expect(await foundBy(watching)).toEqual([])
    house.isSilent = true
    for (const at of silentAt) {
      vi.setSystemTime(at)
      await expect(watching.look()).rejects.toThrow()
    }
    house.isSilent = false
    house.append(...(before.includes(plan) ? [] : [plan]), bets)
    vi.setSystemTime(backAt)
    return foundBy(watching)
  }

  it('are reported', async () => {
    expect(await foundAfterSilence([bets.at + 500], beaconAt)).toEqual([UNSEEN])
  })

  it('are reported if the table shows no root either', async () => {
    house.table = WITHHELD
    expect(await foundAfterSilence([bets.at + 500, beaconAt + 1_000], beaconAt + 3_000)).toEqual([
      UNSEEN,
    ])
  })

  it('prove a breach if the table showed another root meanwhile', async () => {
    house.table = { ...CLOSED, betCount: 2, betsRoot: 'a1'.repeat(32) }
    expect(await foundAfterSilence([bets.at + 500], beaconAt + 60_000)).toMatch(
      /with the root that the table showed/,
    )
  })

  it.each([[[]], [[6, 9]]])(
    'prove a breach if the table showed another root, even if the log had only the plans %j then',
    async (others) => {
      house.table = { ...CLOSED, betCount: 2, betsRoot: 'a1'.repeat(32) }
      const before = others.map((roundId) => ({ ...plan, id: `${roundId}`, roundId }))
      expect(await foundAfterSilence([bets.at + 500], beaconAt + 60_000, before)).toMatch(
        /with the root that the table showed/,
      )
    },
  )

  it.each([[[plan]], [[]]])(
    'are not reported if the table showed their root in time, after the plans %j',
    async (before) => {
      house.table = CLOSED
      expect(await foundAfterSilence([bets.at + 500], beaconAt + 60_000, before)).toEqual([])
    },
  )

  it('are reported although the log fails again while they are read', async () => {
    const watching = monitorOf(house)
    house.append(terms, plan)
    vi.setSystemTime(BEFORE_CLOSE)
    expect(await foundBy(watching)).toEqual([])
    house.append(bets, ...Array.from({ length: 2_000 }, (_, day) => exported(day)))
    house.failing = 'entries/007'
    vi.setSystemTime(exported(0).at)
    await expect(watching.look()).rejects.toThrow()
    house.failing = null
    expect(await foundBy(watching)).toEqual([UNSEEN])
  })

  it('are asked for at the table once a minute at most if nobody bets', async () => {
    house.table = { ...CLOSED, roundId: 8, betCount: 0 }
    const silentAt = Array.from({ length: 35 }, (_, look) => bets.at + look * 2_000)
    await foundAfterSilence(silentAt, beaconAt + 70_000)
    // While bets were open, and then twice.
    expect(house.requests.filter((request) => request === 'watch')).toHaveLength(3)
  })

  it('are reported if nobody watched in between', async () => {
    expect(await foundAfterSilence([], beaconAt + 5_000)).toEqual([UNSEEN])
  })

  it('are not reported if only the monitor was a few seconds late', async () => {
    expect(await foundAfterSilence([], beaconAt + 4_999)).toEqual([])
  })
})

it('asks the table while the log holds back its answer', async () => {
  vi.useFakeTimers({ now: BEFORE_CLOSE, toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  const watching = monitorOf(house)
  house.append(terms, plan)
  expect(await foundBy(watching)).toEqual([])
  house.table = { ...CLOSED, betsRoot: 'a1'.repeat(32) }
  const { answer } = house.holdBack()
  const found = foundBy(watching)
  await vi.advanceTimersByTimeAsync(4_000)
  house.append(bets)
  answer()
  expect(await found).toMatch(/with the root that the table showed/)
})

it('says nothing of bets that come in time', async () => {
  expect(await foundAfter([plan], [BEFORE_CLOSE, beaconAt - 1], bets)).toEqual([])
})

it('accuses nobody of a round whose plan it has not read yet because the log fails again', async () => {
  const watching = monitorOf(house)
  house.append(terms)
  vi.setSystemTime(BEFORE_CLOSE)
  expect(await foundBy(watching)).toEqual([])
  house.table = CLOSED
  house.isSilent = true
  vi.setSystemTime(bets.at + 500)
  await expect(watching.look()).rejects.toThrow()
  house.isSilent = false
  house.append(plan, bets)
  house.failing = 'entries/000'
  vi.setSystemTime(bets.at + 10_000)
  await expect(watching.look()).rejects.toThrow(/answers with status 500/)
  house.failing = null
  expect(await foundBy(watching)).toEqual([])
})
