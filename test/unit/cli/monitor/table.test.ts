import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { loggedPlan } from '../../../../src/crash/log-entries.ts'
import { shownLimits } from '../../../../src/crash/plan.ts'
import { predecessorEntry } from '../../../../src/transparency/predecessor.ts'
import { beaconRound, House, playedRound } from './house.ts'
import { claimOf, foundBy, monitorOf } from './watching.ts'

const { terms, plan, bets, beacon, beaconAt } = beaconRound()
const config = shownLimits(loggedPlan(plan))
const BEFORE_CLOSE = bets.at - 1_000
const HASH = 'a1'.repeat(32)
const { seedHash, pepperSource, betsCloseAt, edgeBps } = plan
const OPEN = {
  roundId: 7,
  seedHash,
  pepperSource,
  betsCloseAt,
  edgeBps,
  betsRoot: null,
  betCount: null,
  config,
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
    ['bounds of stakes', { bounds: { ...config.bounds, ETH: { min: '1', max: '5000' } } }],
    ['limit of a payout', { maxPayout: { ...config.maxPayout, USDG: '200000' } }],
    ['limit of a round', { maxRoundPayout: { ETH: '9000000', USDG: '9000000' } }],
    ['lowest forced cash-out', { minForcedMultiplier: 2 }],
    ['bankroll', { bankroll: { amounts: { ETH: '9', USDG: '9' }, payoutBps: 1, roundBps: 1 } }],
  ])('and finds another %s', async (_what, change) => {
    const claim = await claimAfter({ config: { ...config, ...change } }, {})
    expect(claim).toBe('the table shows the limits of stakes and payouts that were logged')
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
      const times = {
        at: plan.at + later,
        betsCloseAt: bets.at + later,
        flightAt: Number(plan['flightAt']) + later,
        voidAt: Number(plan['voidAt']) + later,
      }
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

describe('a log that stands still while the table plays on', () => {
  const UNPLANNED = { ...CLOSED, roundId: 8, betCount: 5 }

  /**
   * Returns what each look finds if the log has one ended round, and the table shows this from then on.
   * @param size of the checkpoint that the log shows from then on; null for its own
   */
  async function foundWhile(
    shown: object | null,
    looksAt: number[],
    { size = null }: { size?: number | null } = {},
  ): Promise<unknown[]> {
    const { terms: known, plan: planned, bets: fixed, end, whole } = playedRound()
    house.append(known, planned, fixed, end)
    house.rounds.set('7', whole)
    const start = end.at + 1_000
    vi.setSystemTime(start)
    const watching = monitorOf(house)
    const found: unknown[] = [await foundBy(watching)]
    Object.assign(house, { table: shown, size })
    for (const at of looksAt) {
      vi.setSystemTime(start + at)
      found.push(await foundBy(watching))
    }
    return found
  }

  it('proves a breach once bets were taken in a round without a plan', async () => {
    const claim = 'the plan of a round is public before its bets close'
    expect(await foundWhile(UNPLANNED, [600_000, 604_999, 605_000])).toEqual([[], [], [], claim])
  })

  it('proves a breach even if it is shown with an older checkpoint', async () => {
    const claim = 'the plan of a round is public before its bets close'
    expect(await foundWhile(UNPLANNED, [600_000, 605_000], { size: 3 })).toEqual([[], [], claim])
  })

  it('proves a breach even if the log has the plan of a later round', async () => {
    house.append(terms, plan, { ...plan, id: '900', roundId: 900 })
    vi.setSystemTime(BEFORE_CLOSE)
    const watching = monitorOf(house)
    expect(await foundBy(watching)).toEqual([])
    house.table = UNPLANNED
    vi.setSystemTime(beaconAt + 3_000)
    expect(await foundBy(watching)).toEqual([])
    vi.setSystemTime(beaconAt + 9_000)
    expect(await foundBy(watching)).toBe('the plan of a round is public before its bets close')
  })

  it('proves nothing about a round whose plan was overtaken by that of the next one', async () => {
    house.append(terms, plan, { ...plan, id: '9', roundId: 9 })
    vi.setSystemTime(BEFORE_CLOSE)
    const watching = monitorOf(house)
    house.table = { ...OPEN, roundId: 8 }
    expect(await foundBy(watching)).toEqual([])
    house.append({ ...plan, id: '8', roundId: 8 })
    house.table = UNPLANNED
    for (const later of [2_000, 9_000]) {
      vi.setSystemTime(beaconAt + later)
      expect(await foundBy(watching)).toEqual([])
    }
  })

  it('proves nothing about a round that had closed before the log began, which a closed table shows', async () => {
    house.append(predecessorEntry('localhost:8787/log', null, bets.at + 1))
    house.table = { ...CLOSED, betCount: 5 }
    vi.setSystemTime(bets.at + 2_000)
    const watching = monitorOf(house)
    for (const later of [2_000, 602_000, 607_000]) {
      vi.setSystemTime(bets.at + later)
      expect(await foundBy(watching)).toEqual([])
    }
  })

  it('is reported every ten minutes if nobody was seen to bet', async () => {
    const open = { ...UNPLANNED, betsRoot: null, betCount: null }
    const reported = [expect.stringContaining('the log has had no new round since')]
    expect(await foundWhile(open, [600_000, 1_199_999, 1_200_000, 1_202_000, 1_800_000])).toEqual([
      [],
      [],
      [],
      reported,
      [],
      reported,
    ])
  })

  it('proves nothing if the plan comes a moment later', async () => {
    house.append(terms, { ...plan, id: '7' })
    vi.setSystemTime(BEFORE_CLOSE)
    const watching = monitorOf(house)
    house.table = { ...OPEN, roundId: 8 }
    expect(await foundBy(watching)).toEqual([])
    house.append({ ...plan, id: '8', roundId: 8 })
    vi.setSystemTime(BEFORE_CLOSE + 2_000)
    expect(await foundBy(watching)).toEqual([])
    vi.setSystemTime(BEFORE_CLOSE + 700_000)
    expect(await foundBy(watching)).toEqual([])
  })
})

describe('a table that does not answer the monitor', () => {
  const REPORTED = expect.stringMatching(/^The table has not answered you since 20/)
  const MINUTE_MS = 60_000

  /** Returns what each look of two seconds finds that finds anything, with its minute. */
  async function foundOver(minutes: number, tableAt: (minute: number) => object | null) {
    const { terms: known, plan: planned, bets: fixed, end, whole } = playedRound()
    house.append(known, planned, fixed, end)
    house.rounds.set('7', whole)
    const start = end.at + 1_000
    vi.setSystemTime(start)
    const watching = monitorOf(house)
    const found: unknown[] = []
    for (let ms = 0; ms <= minutes * MINUTE_MS; ms += 2_000) {
      vi.setSystemTime(start + ms)
      house.table = tableAt(ms / MINUTE_MS)
      const at = await foundBy(watching)
      if (at.length > 0) found.push([ms / MINUTE_MS, at])
    }
    return found
  }

  it.each<[string, object | null]>([
    ['refuses', null],
    ['shows no round', { ok: true }],
  ])('is reported every ten minutes if it %s', async (_what, shown) => {
    // The log has no open round, so the table is first asked after ten minutes.
    expect(await foundOver(31, () => shown)).toEqual([
      [20, [REPORTED]],
      [30, [REPORTED]],
    ])
    // Afterwards once a minute.
    expect(reads()).toBe(22)
  })

  it('is not reported after a short outage', async () => {
    const isDown = (minute: number) => minute % 12 < 9
    expect(await foundOver(60, (minute) => (isDown(minute) ? null : CLOSED))).toEqual([])
  })
})

describe('a pepper that the house knows', () => {
  const local = playedRound()
  const found = async (origin: string) => foundBy(monitorOf(house, { origin }))

  it('is a breach of any site, with the signed plan as its proof', async () => {
    house.append(local.terms, local.plan)
    const claim = 'its pepper comes from a public beacon, not from a secret of the house'
    expect(await found('https://house.example')).toBe(claim)
    const caught = monitorOf(house, { origin: 'https://house.example' }).look()
    await expect(caught).rejects.toMatchObject({
      breach: { evidence: { logged: { index: 1, entry: local.plan } } },
    })
  })

  it('is usual on this machine', async () => {
    house.append(local.terms, local.plan)
    expect(await found('http://127.0.0.1:8787')).toEqual([])
  })

  it('is accepted if it comes from a beacon', async () => {
    house.append(terms, plan)
    vi.setSystemTime(BEFORE_CLOSE)
    expect(await found('https://house.example')).toEqual([])
  })
})
