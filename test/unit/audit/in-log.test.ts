import { describe, expect, it } from 'vitest'
import { digestOf, LoggedHistory } from '../../../src/audit/in-log.ts'
import { DAY_MS } from '../../../src/core/utc-day.ts'
import { betsEntry, endEntry, planEntry } from '../../../src/crash/log-entries.ts'
import type { LogEntry } from '../../../src/transparency/entry.ts'
import { predecessorEntry } from '../../../src/transparency/predecessor.ts'
import { honestExport, TERMS } from '../../audit/export.ts'

/** The logs of these tests are read long after their entries. */
const READ_AT = Date.parse('2030-01-01')

/** A log without entries, but for the one that says which log it succeeds. */
function successor(at: number): LoggedHistory {
  const history = new LoggedHistory(READ_AT)
  history.take({ index: 0, entry: predecessorEntry('localhost:8787/log', null, at) })
  return history
}

describe('a log that succeeds another one', () => {
  const [{ day, rounds, boxes }] = honestExport({ boxesADay: 1 }) as [
    ReturnType<typeof honestExport>[number],
  ]
  const round = digestOf(rounds[0]!)
  const found = (history: LoggedHistory) => [
    ...history.checkManifest(day, 'ab'.repeat(32)),
    ...history.checkRound(round),
    ...history.checkBatch(boxes[0]!),
  ]

  it('is not expected to have what was before it, and says since when it is', () => {
    const later = successor(Date.parse(day) + 2 * 86_400_000)
    expect(found(later)).toEqual([])
    expect(later.predecessor).toMatchObject({ name: 'localhost:8787/log', size: null })
  })

  it('is expected to have everything since', () => {
    expect(found(successor(Date.parse(day))).map(({ where }) => where)).toEqual([
      `the export of ${day}`,
      ...Array.from({ length: 4 }, () => 'round 1'),
      ...Array.from({ length: 2 }, () => 'batch 1 of boxes'),
    ])
  })

  it('is expected to have a round that is only dated before it', () => {
    const at = round.openedAt + 1
    const plan = (roundId: number): LogEntry => ({ kind: 'plan', id: `${roundId}`, at, terms: '' })
    const problems = (dated: Partial<typeof round>, ...entries: LogEntry[]) => {
      const history = successor(at)
      entries.forEach((entry, index) => history.take({ index: index + 1, entry }))
      return history.checkRound({ ...round, ...dated }).length
    }
    expect(problems({}, plan(round.roundId + 1))).toBe(0)
    expect(problems({}, plan(round.roundId - 1))).toBeGreaterThan(0)
    expect(problems({ betsCloseAt: at + 3_600_000 })).toBeGreaterThan(0)
  })

  it('is not excused by an entry that names a predecessor later, which is reported', () => {
    const history = new LoggedHistory(READ_AT)
    const at = READ_AT - 1
    history.take({ index: 0, entry: { kind: 'terms', id: 'ab', at, terms: {} } })
    history.take({ index: 1, entry: predecessorEntry('localhost:8787/log', null, at) })
    expect(history.predecessor).toBe(null)
    expect(found(history)).toHaveLength(7)
    expect(history.findings).toEqual([
      {
        where: 'entry 1 of the public log',
        problem: 'it names a predecessor, which only the first entry of a log may',
      },
    ])
  })

  it('is reported if it begins, or has an entry, after it was read by more than clocks differ', () => {
    const findingsAt = (at: number) => successor(at).findings.map(({ problem }) => problem)
    expect(findingsAt(READ_AT + 4_999)).toEqual([])
    expect(findingsAt(READ_AT + 5_000)).toEqual([
      'it has the time 2030-01-01T00:00:05.000Z, but by your clock it was read at 2030-01-01T00:00:00.000Z',
    ])
  })

  it('finds what it has otherwise, whenever that was', () => {
    const later = successor(Date.parse(day) + 2 * 86_400_000)
    later.take({ index: 1, entry: { kind: 'export', id: day, at: 1, sha256: 'cd'.repeat(32) } })
    expect(later.checkManifest(day, 'ab'.repeat(32))).toHaveLength(1)
  })
})

describe('a round in the log', () => {
  const [{ day, rounds }] = honestExport() as [ReturnType<typeof honestExport>[number]]
  const round = rounds[0]!
  const { plan, betsRoot, betCount } = round
  if (round.kind === 'voided' || !plan) throw new Error('the export has no such round')
  const fixed = { betsRoot, betCount }
  const bets = betsEntry(plan, fixed)
  const end = endEntry({ ...round, crash: Math.round(round.crash * 100) } as never, fixed)

  const planned = planEntry(plan)
  const terms = { ...TERMS.committed, at: plan.openedAt - 1 }

  const logOf = (...entries: LogEntry[]) => {
    const history = new LoggedHistory(READ_AT)
    for (const [index, entry] of entries.entries()) history.take({ index, entry })
    return history
  }
  const found = (...entries: LogEntry[]) =>
    logOf(...entries)
      .checkRound({ ...digestOf(round), plan: null })
      .map(({ problem }) => problem)
  const NOT_PLANNED = 'its commitment is not in the public log'

  it('has nothing to find if plan, bets and end come in this order', () => {
    expect(logOf(terms, planned, bets, end).checkRound(digestOf(round))).toEqual([])
  })

  it.each<[string, LogEntry[], string[]]>([
    [
      'its bets before its plan',
      [bets, planned, end],
      ['its plan is in the public log only after the root or the number of its bets'],
    ],
    [
      'its end before its bets',
      [planned, end, bets],
      ['the root or the number of its bets is in the public log only after its end'],
    ],
    [
      'its end first',
      [end, planned, bets],
      [
        'its plan is in the public log only after its end',
        'the root or the number of its bets is in the public log only after its end',
      ],
    ],
  ])('is reported with %s', (_what, entries, problems) => {
    expect(found(terms, ...entries)).toEqual(problems)
  })

  it.each([-1, 1])('is reported with a plan that is dated %i ms from its opening', (ms) => {
    const dated = { ...planned, at: planned.at + ms }
    expect(found(terms, dated, bets, end)).toEqual(['its commitment is not the logged one'])
    const whole = logOf(terms, dated, bets, end).checkRound(digestOf(round))
    expect(whole.map(({ problem }) => problem)).toContain('its plan is not the logged one')
  })

  it('is missed by its plan if it has no end and no day has it, as the time of the plan would count', () => {
    const from = Date.parse(day)
    const history = logOf(terms, planned)
    const missed = (to: number) => history.missingRounds(from, to).map(({ problem }) => problem)
    expect(missed(from + 2 * DAY_MS)).toEqual(['the public log has its plan, but no day has it'])
    expect(missed(planned.at + DAY_MS)).toEqual([])
    history.checkRound(digestOf(round))
    expect(missed(from + 2 * DAY_MS)).toEqual([])
  })

  it.each<[string, LogEntry]>([
    ['with another crash point', { ...end, crash: 1 }],
    ['as a void', { ...end, kind: 'void' }],
  ])('whose end is logged again %s is reported, and compared with the first', (_what, other) => {
    expect(found(bets, end)).toEqual([NOT_PLANNED])
    const twice = 'its end is in the public log twice'
    expect(found(bets, end, other)).toEqual([NOT_PLANNED, twice])
    expect(found(bets, other, end)).toEqual([NOT_PLANNED, 'its end is not the logged one', twice])
  })
})
