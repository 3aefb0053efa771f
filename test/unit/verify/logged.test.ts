import { describe, expect, it } from 'vitest'
import { dateOf, DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/core/utc-day.ts'
import { commitmentOf } from '../../../src/fairness/seed.ts'
import { seedEntry, seedHashEntry } from '../../../src/lootbox/log-entries.ts'
import type { LogEntry } from '../../../src/transparency/entry.ts'
import { LogReading } from '../../../src/verify/logged.ts'
import { playedRound } from '../cli/monitor/house.ts'

const SEED = '5e'.repeat(32)

const { terms, plan, bets, end } = playedRound()
const closedAt = Number(plan['betsCloseAt'])

/** The entries of the same round under another number. */
const numbered = (entry: LogEntry, roundId: number): LogEntry => ({
  ...entry,
  id: String(roundId),
  ...('roundId' in entry && { roundId }),
})
const round = (roundId: number) => [plan, bets, end].map((entry) => numbered(entry, roundId))
const other = (at: number): LogEntry => ({ kind: 'export', id: `at ${at}`, at })

/** The findings about a log with these entries, whose reader may remember some by its state only. */
function findings(entries: LogEntry[], restartsAt = entries.length): string[] {
  let reading = new LogReading()
  return [terms, ...entries].flatMap((entry, index) => {
    if (index === restartsAt) reading = new LogReading(JSON.parse(JSON.stringify(reading.state())))
    const shown = { absentAt: null, answeredSince: null, readAt: entry.at }
    const { breach } = reading.take({ index, entry }, shown)
    return breach ? [`${breach.claim}: ${breach.finding}`] : []
  })
}

const MISSING = (what: string, roundId: number) =>
  `each round is planned, and ends or is voided: the ${what} of round ${roundId} has been missing for more than an hour`

describe('the counts of what a house owes in a log', () => {
  const count = (epoch: number, at: number): LogEntry => ({
    kind: 'solvency',
    id: String(epoch),
    epoch,
    at,
  })
  const at = closedAt - HOUR_MS
  const counts = [count(7, at), count(8, at + 1), count(9, at + 2)]
  const FOLLOW = 'the counts of what the house owes follow each other, one by one: it does not'

  it('follow each other', () => {
    expect(findings(counts)).toEqual([])
    expect(findings(counts, 3)).toEqual([])
  })

  it('are noticed if they are of the same hour', () => {
    const reading = new LogReading()
    const shown = { absentAt: null, answeredSince: null, readAt: at + 2 * HOUR_MS }
    const notices = [count(1, at), count(2, at + 1), count(3, at + HOUR_MS)].map(
      (entry, index) => reading.take({ index, entry }, shown).notice,
    )
    expect(notices).toEqual([null, expect.stringContaining('Count 2 is of the same hour'), null])
  })

  it.each<[string, LogEntry[]]>([
    ['if one is left out', [counts[0]!, counts[2]!]],
    ['if one has the time of another', [counts[0]!, count(8, at)]],
    ['if one is of an earlier time', [counts[0]!, count(8, at - 1)]],
  ])('break a promise %s, even if the monitor restarts', (_what, entries) => {
    expect(findings(entries)).toEqual([FOLLOW])
    expect(findings(entries, 2)).toEqual([FOLLOW])
  })
})

describe('the seeds of lootbox days in a log', () => {
  const day = '2026-11-20'
  const dueAt = Date.parse('2026-11-21T00:10Z') + HOUR_MS
  const hashed = { seedHash: commitmentOf(SEED), pepperHash: commitmentOf('00'.repeat(32)) }
  const committed = seedHashEntry({ day, ...hashed, committedAt: Date.parse('2026-11-18') })
  const WITHHELD = `the seed of each day of the lootbox is disclosed: the seed of ${day} has been missing for more than an hour`

  it('may be overtaken for ten minutes once they are due', () => {
    const seed = seedEntry(day, SEED, dueAt - HOUR_MS)
    const late = [other(dueAt + 1), other(dueAt + 9 * MINUTE_MS)]
    expect(findings([committed, ...late, seed, other(dueAt + DAY_MS)])).toEqual([])
  })

  it('may come after later entries that waited with them for the log, and break a promise if they never do', () => {
    const reading = new LogReading()
    const breachesAt = (readAt: number, entries: LogEntry[]) =>
      entries.flatMap((entry, index) => {
        const shown = { absentAt: null, answeredSince: null, readAt }
        return reading.take({ index, entry }, shown).breach ?? []
      })
    const backAt = dueAt + 3 * HOUR_MS
    const waited = [committed, other(dueAt + 1), other(dueAt + 2 * HOUR_MS)]
    expect(breachesAt(backAt, waited)).toEqual([])
    expect(breachesAt(backAt + 10 * MINUTE_MS, [other(backAt)])).toEqual([])
    expect(breachesAt(backAt + 10 * MINUTE_MS + 1, [other(backAt + 1)])).toHaveLength(1)
  })

  it.each([1, 2, 3, 4])('break a promise if one never comes, with a restart at %i', (restart) => {
    const entries = [committed, other(dueAt), other(dueAt + 1), other(dueAt + 11 * MINUTE_MS)]
    expect(findings(entries, restart)).toEqual([WITHHELD])
  })
})

describe('the commitments to lootbox days in a log', () => {
  const first = Date.parse('2026-11-20T12:00Z')
  const MISSING_DAY = 'each day of the lootbox is committed to before it begins: the commitment of'
  const offered = { ...terms, terms: { lootbox: { price: '1' } } }

  /** A round that is planned some days after the log's first hour, under terms that offer a lootbox unless it is off. */
  const planned = (days: number, isOff = false): LogEntry => {
    const at = first + days * DAY_MS
    return {
      ...numbered(plan, days < 2 ? 7 : 8),
      at,
      betsCloseAt: at + 7 * DAY_MS,
      ...(isOff && { terms: 'none' }),
    }
  }
  const committedTo = (days: number): LogEntry => {
    const day = dateOf(first + days * DAY_MS)
    return seedHashEntry({ day, seedHash: '', pepperHash: '', committedAt: first })
  }

  /** What the commitments of a log lack that goes on for two hours after its last entry. */
  function lacking(
    entries: LogEntry[],
    restartsAt = entries.length,
    beganAt = first - 30 * DAY_MS,
  ) {
    const lastAt = entries.at(-1)!.at
    const later = [61, 72, 83].map((minutes) => other(lastAt + minutes * MINUTE_MS))
    let reading = new LogReading()
    const all = [{ ...offered, at: beganAt }, ...entries, ...later]
    return all.flatMap((entry, index) => {
      if (index === restartsAt)
        reading = new LogReading(JSON.parse(JSON.stringify(reading.state())))
      const shown = { absentAt: null, answeredSince: null, readAt: entry.at }
      const { breach } = reading.take({ index, entry }, shown)
      const isOfDay = breach?.claim === 'each day of the lootbox is committed to before it begins'
      return isOfDay ? [`${breach.claim}: ${breach.finding}`] : []
    })
  }

  it.each([2, 3])('break a promise if none comes by a round %i days after another', (days) => {
    const day = dateOf(first + days * DAY_MS)
    const finding = `${MISSING_DAY} ${day} has been missing for more than an hour`
    for (const restart of [9, 1, 2, 3, 4]) {
      const found = lacking([planned(0), planned(days)], restart)
      expect([...new Set(found)]).toEqual([finding])
    }
  })

  it('keep it if they come ahead, even if a round of the day is logged after its seed', () => {
    const entries = [planned(0), committedTo(2), planned(2)]
    expect(lacking(entries)).toEqual([])
    const seed = seedEntry(dateOf(planned(2).at), SEED, planned(2).at)
    for (const restart of [9, 2, 3, 4])
      expect(lacking([planned(0), committedTo(2), seed, planned(2)], restart)).toEqual([])
  })

  it.each<[string, LogEntry[], number?]>([
    ['the lootbox has been switched off since', [planned(0), planned(2, true)]],
    ['the table has stood still since', [planned(0), other(first + 5 * DAY_MS)]],
    ['the lootbox is new', [planned(1, true), planned(2)]],
    ['the service was down for days', [planned(0), planned(4)]],
    ['the seed was drawn before the log began', [planned(0), planned(2)], first],
  ])('may be missing if %s', (_why, entries, beganAt) => {
    expect(lacking(entries, undefined, beganAt)).toEqual([])
  })
})

describe('the entries of rounds in a log', () => {
  it('may be overtaken for ten minutes, because a delivery is repeated', () => {
    const late = closedAt + 2 * HOUR_MS
    const entries = [plan, bets, other(late), other(late + 9 * MINUTE_MS), end]
    expect(findings(entries)).toEqual([])
  })

  it.each([1, 3, 4])('break a promise if a result never comes, with a restart at %i', (restart) => {
    const late = closedAt + 2 * HOUR_MS
    const entries = [plan, bets, other(late), other(late + 11 * MINUTE_MS)]
    expect(findings(entries, restart)).toEqual([MISSING('result', Number(plan.id))])
  })

  it('break a promise if a round is left out', () => {
    const late = plan.at + 2 * HOUR_MS
    const rest = [...round(9), other(late), other(late + 11 * MINUTE_MS)]
    expect(findings([...round(7), ...rest])).toEqual([MISSING('plan', 8)])
    expect(findings([...round(7), ...round(9), ...round(8), ...rest.slice(3)])).toEqual([])
  })

  it('break a promise if the numbers of rounds jump far ahead', () => {
    expect(findings([...round(7), ...round(1_008)])).toEqual([
      'rounds are numbered without gaps: round 1008 follows round 7',
    ])
  })

  it.each(['x', '07', '7.5', '-1e9'])('break a promise if one has the number %s', (id) => {
    expect(findings([plan, { ...plan, id }])).toEqual([
      `rounds are numbered without gaps: a round has the number ${id}`,
    ])
  })

  it('do not hide behind a round that is planned for the far future', () => {
    const far = { ...numbered(plan, 6), betsCloseAt: closedAt + 1_000 * HOUR_MS }
    const late = closedAt + 2 * HOUR_MS
    const entries = [far, plan, bets, other(late), other(late + 11 * MINUTE_MS)]
    expect(findings(entries)).toEqual([
      expect.stringContaining('it was planned'),
      MISSING('result', Number(plan.id)),
    ])
  })
})

describe('the secrets that a log discloses', () => {
  const [seed, second] = ['11'.repeat(32), '22'.repeat(32)]
  const day = '2026-11-22'
  const at = closedAt - HOUR_MS
  const entry = (kind: 'seeds' | 'batch', id: string, fields: object): LogEntry => ({
    kind,
    id,
    at,
    ...fields,
  })

  it.each(['', ':x', ':seed', ':open'])(
    'match the first commitment, although one follows as %s',
    (as) => {
      const commitment = entry('seeds', `${day}:hash`, { seedHash: commitmentOf(seed) })
      const again = entry('seeds', `${day}${as}`, { seedHash: commitmentOf(second) })
      const disclosed = (secret: string) => entry('seeds', `${day}:seed`, { seed: secret })
      expect(findings([commitment, again, disclosed(seed)])).toEqual([])
      expect(findings([commitment, again, disclosed(second)])).toEqual([
        `the secret of seeds ${day} matches its logged hash: it does not`,
      ])
    },
  )

  it('are not believed under an id that is only a day or a batch', () => {
    const commitment = entry('seeds', `${day}:hash`, { seedHash: commitmentOf(seed) })
    const opened = entry('batch', '5:open', { pepperHash: commitmentOf(seed) })
    const secrets = [entry('seeds', day, { seed }), entry('batch', '5', { pepper: seed })]
    expect(findings([commitment, opened, ...secrets])).toEqual([
      `the secret of seeds ${day} matches its logged hash: it does not`,
      'the secret of batch 5 matches its logged hash: it does not',
    ])
  })

  it('of a batch can’t pass for another commitment', () => {
    const opened = entry('batch', '5:open', { pepperHash: commitmentOf(seed) })
    const closed = { pepper: second, pepperHash: commitmentOf(second) }
    expect(findings([opened, entry('batch', '5:closed', closed)])).toEqual([
      'the secret of batch 5 matches its logged hash: it does not',
    ])
  })

  it('are missed after a month if they are of a batch, and each month again', () => {
    const MONTH_MS = 30 * DAY_MS
    const reading = new LogReading()
    const shown = { absentAt: null, answeredSince: null, readAt: at }
    const opened = entry('batch', '5:open', { pepperHash: commitmentOf(seed) })
    reading.take({ index: 0, entry: opened }, shown)
    const missed = (of: LogReading, now: number) => of.missing(now).length
    expect(missed(reading, at + MONTH_MS - 1)).toBe(0)
    expect(reading.missing(at + MONTH_MS)).toEqual([
      expect.stringContaining('the pepper hash of batch 5 of boxes'),
    ])
    const restarted = new LogReading(JSON.parse(JSON.stringify(reading.state())))
    for (const each of [reading, restarted]) {
      expect(missed(each, at + 2 * MONTH_MS - 1)).toBe(0)
      expect(missed(each, at + 2 * MONTH_MS)).toBe(1)
      each.take({ index: 1, entry: entry('batch', '5:closed', { pepper: seed }) }, shown)
      expect(missed(each, at + 4 * MONTH_MS)).toBe(0)
    }
  })

  it('match the first commitment of a batch of boxes', () => {
    const open = (id: string, pepper: string) =>
      entry('batch', id, { pepperHash: commitmentOf(pepper) })
    const closed = entry('batch', '5:closed', { pepper: second })
    expect(findings([open('5:open', seed), open('5:x', second), closed])).toHaveLength(1)
    expect(findings([open('5:open', second), open('5:x', seed), closed])).toEqual([])
  })
})
