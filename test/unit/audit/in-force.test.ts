import { describe, expect, it } from 'vitest'
import { addUse, type TermsUse } from '../../../src/audit/in-force.ts'
import { LoggedHistory } from '../../../src/audit/in-log.ts'
import { DAY_MS, HOUR_MS } from '../../../src/core/utc-day.ts'
import type { SetTerms } from '../../../src/operator/modes.ts'
import { versionEntry } from '../../../src/operator/versions.ts'
import { termsEntry } from '../../../src/receipts/log-entries.ts'
import type { TermsOfPlay } from '../../../src/receipts/terms.ts'
import type { LogEntry } from '../../../src/transparency/entry.ts'
import { predecessorEntry } from '../../../src/transparency/predecessor.ts'
import { termsSummary } from '../../../src/transparency/terms.ts'
import { honestExport, TERMS } from '../../audit/export.ts'

const PLAYS = honestExport()[0]!.plays
const AT = Date.parse('2026-11-05T12:00:00Z')
const LOGGED_AT = AT - 300 * DAY_MS
const ROUND_MS = 25_000

const MOST = { ...TERMS.committed, at: LOGGED_AT }
/** Terms that were in force once, long ago. */
const OLD = termsWithEdge(2_000)

function termsWithEdge(edgeBps: number, others: Partial<TermsOfPlay> = {}): LogEntry {
  const terms = structuredClone(TERMS.committed['terms']) as unknown as TermsOfPlay
  Object.assign(terms, others)
  terms.entropy.edgeBps = edgeBps
  return termsEntry(terms, termsSummary(terms).hash, LOGGED_AT)
}

const planned = (at: number, terms = MOST): LogEntry => ({
  kind: 'plan',
  id: `${at}`,
  at,
  terms: terms.id,
})

/** The plans of rounds from some time before the play to some time after it. */
function rounds(
  termsAt: (at: number) => LogEntry = () => MOST,
  { beforeMs = 2 * HOUR_MS, afterMs = 2 * HOUR_MS, everyMs = ROUND_MS } = {},
): LogEntry[] {
  const plans: LogEntry[] = []
  for (let at = AT - beforeMs; at <= AT + afterMs; at += everyMs)
    plans.push(planned(at, termsAt(at)))
  return plans
}

/** The version of what operators set that takes effect at this time. */
function setAt(takesEffectAt: number, terms: SetTerms): LogEntry {
  const at = takesEffectAt - 10_000
  const hashes = { prevHash: '', hash: '' }
  return versionEntry({ number: at, at, takesEffectAt, modes: {}, terms, ...hashes }, '')
}

interface Plays {
  game?: string
  times?: number[]
  old?: LogEntry
}

/** Returns what an audit finds of plays under the old terms. */
function found(entries: LogEntry[], plays: Plays = {}): string[] {
  return audited(entries, plays).problems
}

/** Returns what an audit finds of plays under the old terms, and which terms it only counts. */
function audited(entries: LogEntry[], { game = 'limbo', times = [AT], old = OLD }: Plays = {}) {
  const history = new LoggedHistory(Date.parse('2030-01-01'))
  for (const [index, entry] of [MOST, old, ...entries].entries()) history.take({ index, entry })
  const uses = new Map<string, TermsUse>()
  const play = PLAYS.find((each) => each.game === game)!
  for (const [nonce, settledAt] of times.entries())
    addUse(uses, { ...play, nonce, settledAt, terms: old.id })
  const problems = [...uses.values()]
    .flatMap((use) => history.checkInForce(use))
    .map(({ where, problem }) => `${where.split(' of ')[0]}: ${problem}`)
  return { problems, unfollowed: [...history.unfollowed] }
}

const caught = ({ id }: LogEntry) => [`play 0: the rounds around it do not follow its terms ${id}`]
const CAUGHT = caught(OLD)

/** The old terms as operators set them. */
const EDGE = { 'entropy.edgeBps': 2_000 }
/** Operators set the old terms for less than a round. */
const BRIEFLY = [setAt(AT - 5_000, EDGE), setAt(AT + 5_000, {})]

/** The same, logged once the log has the rounds up to some time after the play. */
function brieflyLoggedAfter(ms: number): LogEntry[] {
  const [before, after] = [true, false].map((isBefore) =>
    rounds().filter(({ at }) => at <= AT + ms === isBefore),
  )
  return [...before!, ...BRIEFLY, ...after!]
}

/** The old terms hold from some time before the play, or after it, for as long. */
const oldWithin = (fromMs: number, toMs: number) => (at: number) =>
  at >= AT + fromMs && at < AT + toMs ? OLD : MOST

describe('the terms of a play', () => {
  it('are caught if the rounds around it follow others, although they were logged once', () => {
    expect(found(rounds())).toEqual(CAUGHT)
    expect(found(rounds(), { old: { ...OLD, at: AT - HOUR_MS - 1 } })).toEqual(CAUGHT)
  })

  it('are compared for the first and the last play of each hour', () => {
    const history = rounds(oldWithin(-HOUR_MS / 2, HOUR_MS / 2), { afterMs: 8 * HOUR_MS })
    const times = [AT, AT + 4 * HOUR_MS, AT + 4 * HOUR_MS + 2, AT + 4 * HOUR_MS + 1]
    expect(found(history, { times }).map((each) => each.split(':')[0])).toEqual([
      'play 1',
      'play 2',
    ])
  })

  it.each<[string, LogEntry[]]>([
    ['a round before it followed them', rounds(oldWithin(-60_000, 0))],
    ['a round after it followed them', rounds(oldWithin(1, 60_000))],
    [
      'a tenth of the rounds follow them',
      rounds((at) => (at % (10 * ROUND_MS) === 0 ? OLD : MOST)),
    ],
    ['operators set them for less than a round', [...BRIEFLY, ...rounds()]],
    [
      'operators had set them for less than a round, and their call was late',
      [setAt(AT - 310_000, EDGE), setAt(AT - 300_000, {}), ...rounds()],
    ],
    [
      'operators set them for less than a round, which was logged almost an hour later',
      brieflyLoggedAfter(HOUR_MS - ROUND_MS),
    ],
    [
      'they are as configured, to which operators returned in a pause of the table',
      [
        setAt(AT - HOUR_MS, { 'entropy.edgeBps': 100 }),
        setAt(AT - 60_000, {}),
        setAt(AT + 60_000, { autoplay: false }),
        setAt(AT + 90_000, { 'entropy.edgeBps': 100 }),
        ...rounds().filter(({ at }) => Math.abs(at - AT) > 600_000),
      ],
    ],
    [
      'no round was planned soon before it',
      rounds().filter(({ at }) => at > AT || at < AT - 1_800_000),
    ],
    [
      'no round was planned soon after it',
      rounds().filter(({ at }) => at <= AT || at > AT + 1_800_000),
    ],
    ['fewer than a hundred rounds came later', rounds(undefined, { afterMs: 99 * ROUND_MS })],
  ])('may be others if %s', (_why, entries) => {
    expect(found(entries)).toEqual([])
  })

  it('may be others if they were first logged within the hour before it', () => {
    expect(found(rounds(), { old: { ...OLD, at: AT - HOUR_MS } })).toEqual([])
  })

  it.each<[string, LogEntry[]]>([
    [
      'operators changed switches only',
      [setAt(AT - 5_000, {}), setAt(AT + 5_000, {}), ...rounds()],
    ],
    [
      'rounds followed what operators set',
      [setAt(AT - 60_000, EDGE), setAt(AT + 60_000, {}), ...rounds()],
    ],
    [
      'operators had set them for less than a round long before it',
      [setAt(AT - 320_000, EDGE), setAt(AT - 310_000, {}), ...rounds()],
    ],
    [
      'operators set another edge for less than a round',
      [setAt(AT - 5_000, { 'entropy.edgeBps': 150 }), setAt(AT + 5_000, {}), ...rounds()],
    ],
    [
      'operators set others for less than a round',
      [setAt(AT - 5_000, { autoplay: false }), setAt(AT + 5_000, {}), ...rounds()],
    ],
    [
      'operators took others back for less than a round',
      [
        setAt(AT - HOUR_MS, { autoplay: false }),
        setAt(AT - 5_000, {}),
        setAt(AT + 5_000, { autoplay: false }),
        ...rounds(),
      ],
    ],
    [
      'operators are said an hour later to have set them for less than a round',
      brieflyLoggedAfter(HOUR_MS),
    ],
    ['just a hundred rounds came later', rounds(undefined, { afterMs: 100 * ROUND_MS })],
  ])('are caught even if %s', (_why, entries) => {
    expect(found(entries)).toEqual(CAUGHT)
  })

  it('are caught even if operators set one part of them for less than a round', () => {
    const old = termsWithEdge(2_000, { depositFeeBps: 100 })
    expect(found([...BRIEFLY, ...rounds()], { old })).toEqual(caught(old))
  })

  it('are counted if only an order that no round followed excuses them', () => {
    expect(audited([...BRIEFLY, ...rounds()])).toEqual({ problems: [], unfollowed: [OLD.id] })
    const followed = [...BRIEFLY, ...rounds(oldWithin(-60_000, 0))]
    expect(audited(followed)).toEqual({ problems: [], unfollowed: [] })
  })

  it('of a game of mines may be those of two days before, if the export had to end it', () => {
    const history = (hours: number) =>
      rounds(oldWithin(-60 * HOUR_MS, -hours * HOUR_MS), {
        beforeMs: 70 * HOUR_MS,
        everyMs: 60_000,
      })
    expect(found(history(24), { game: 'mines' })).toEqual([])
    expect(found(history(24))).toEqual(CAUGHT)
    expect(found(history(49), { game: 'mines' })).toEqual([])
    expect(found(history(51), { game: 'mines' })).toEqual(CAUGHT)
  })

  it('are compared with nothing near the beginning of a log that succeeds another one', () => {
    const succession = (at: number) => predecessorEntry('localhost:8787/log', null, at)
    const history = (at: number) => {
      const log = new LoggedHistory(Date.parse('2030-01-01'))
      const entries = [succession(at), MOST, OLD, ...rounds()]
      for (const [index, entry] of entries.entries()) log.take({ index, entry })
      const uses = new Map<string, TermsUse>()
      addUse(uses, { ...PLAYS.find(({ game }) => game === 'limbo')!, settledAt: AT, terms: OLD.id })
      return [...uses.values()].flatMap((use) => log.checkInForce(use))
    }
    expect(history(AT - HOUR_MS - 1)).toHaveLength(1)
    expect(history(AT - HOUR_MS)).toEqual([])
  })
})
