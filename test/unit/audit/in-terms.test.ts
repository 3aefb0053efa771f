import { describe, expect, it } from 'vitest'
import { LoggedHistory } from '../../../src/audit/in-log.ts'
import type { ExportedOpening } from '../../../src/audit/openings.ts'
import { auditPlays } from '../../../src/audit/plays.ts'
import { PlaySequence } from '../../../src/audit/sequence.ts'
import { DAY_MS, HOUR_MS, dateOf } from '../../../src/core/utc-day.ts'
import type { PlayRow } from '../../../src/exports/rows.ts'
import type { PepperSource } from '../../../src/fairness/pepper.ts'
import { selectionOf, type GameName } from '../../../src/games/games.ts'
import { settle } from '../../../src/games/play.ts'
import { seedHashEntry } from '../../../src/lootbox/log-entries.ts'
import { termsEntry } from '../../../src/receipts/log-entries.ts'
import type { TermsOfPlay } from '../../../src/receipts/terms.ts'
import type { LogEntry } from '../../../src/transparency/entry.ts'
import { predecessorEntry } from '../../../src/transparency/predecessor.ts'
import { termsSummary } from '../../../src/transparency/terms.ts'
import { honestExport, TERMS } from '../../audit/export.ts'

function logOf(...entries: LogEntry[]): LoggedHistory {
  const history = new LoggedHistory(Date.parse('2030-01-01'))
  for (const [index, entry] of entries.entries()) history.take({ index, entry })
  return history
}

/** Returns an entry of terms that differ from those of the export. */
function otherTerms(change: (terms: TermsOfPlay) => void): LogEntry {
  const terms = structuredClone(TERMS.committed['terms']) as unknown as TermsOfPlay
  change(terms)
  return termsEntry(terms, termsSummary(terms).hash, TERMS.committed.at)
}

const PLAYS = honestExport()[0]!.plays

/** Audits plays, and compares them with a log. */
function found(plays: readonly PlayRow[], log: LoggedHistory): string[] {
  const { findings, terms } = auditPlays(plays)
  return [...findings, ...[...terms.values()].flatMap((same) => log.checkPlays(same))].map(
    ({ where, problem }) => `${where}: ${problem}`,
  )
}

/** Returns the plays with one of a game changed, and everything that follows from the change. */
function withPlay(game: string, change: Partial<PlayRow>): PlayRow[] {
  const index = PLAYS.findIndex((play) => play.game === game)
  const play = { ...PLAYS[index]!, ...change } as PlayRow
  const stake = { token: play.token, amountWei: BigInt(play.amount) }
  const settled = settle(selectionOf(play), stake, play, play)
  return PLAYS.with(index, { ...play, ...settled })
}

describe('exported plays', () => {
  it('pass if the public log has the terms that they name', () => {
    expect(found(PLAYS, logOf(TERMS.committed))).toEqual([])
  })

  it.each<[string, string, Partial<PlayRow>, string]>([
    ['another edge', 'limbo', { edgeBps: 200 }, 'its edge is that of the terms'],
    [
      'a stake above the limits',
      'keno',
      { amount: '1000001' },
      'its stake of 1000001 is within the limits of the terms, 1 to 1000000',
    ],
    [
      'a stake below the limits',
      'keno',
      { amount: '0' },
      'its stake of 0 is within the limits of the terms, 1 to 1000000',
    ],
  ])('are caught with %s than their terms say', (_what, game, change, claim) => {
    expect(found(withPlay(game, change), logOf(TERMS.committed))).toEqual([
      expect.stringMatching(/^play \d+ of 0x\w+: this does not hold: /),
    ])
    expect(found(withPlay(game, change), logOf(TERMS.committed)).join()).toContain(claim)
  })

  it('are caught with pay tables that their terms do not have', () => {
    const other = otherTerms(({ entropy }) => Object.assign(entropy.tables, { kenoTables: {} }))
    const plays = PLAYS.map((play) => ({ ...play, terms: other.id }))
    const problems = found(plays, logOf(other))
    expect(problems.length).toBeGreaterThan(0)
    for (const each of problems) expect(each).toContain('its pay tables are those of the terms')
  })

  it('are caught with terms that were never logged, or with none', () => {
    const never = PLAYS.map((play) => ({ ...play, terms: 'ab'.repeat(32) }))
    expect(found(never, logOf(TERMS.committed))[0]).toContain('are not in the public log')
    const none = PLAYS.map((play) => ({ ...play, terms: null }))
    expect(found(none, logOf(TERMS.committed))[0]).toContain('it names no terms of play')
  })

  it('are caught under terms that were logged over an hour after the first of them', () => {
    const first = Math.min(...PLAYS.map(({ settledAt }) => settledAt))
    const late = (byMs: number) => found(PLAYS, logOf({ ...TERMS.committed, at: first + byMs }))
    expect(late(3_600_000)).toEqual([])
    expect(late(3_600_001)[0]).toContain('were logged only later')
  })

  it('from before a log that succeeds another one are not expected to have their terms in it', () => {
    const last = Math.max(...PLAYS.map(({ settledAt }) => settledAt))
    const began = (at: number, ...entries: LogEntry[]) =>
      logOf(predecessorEntry('localhost:8787/log', null, at), ...entries)
    expect(found(PLAYS, began(last + 1))).toEqual([])
    // Terms that go on are logged again.
    expect(found(PLAYS, began(last, { ...TERMS.committed, at: last + 7_200_000 }))).toEqual([])
    expect(found(PLAYS, began(last))[0]).toContain('are not in the public log')
  })

  it('are expected to have their terms in a log if they are only dated before it', () => {
    const { terms } = auditPlays(PLAYS)
    const last = Math.max(...PLAYS.map(({ settledAt }) => settledAt))
    const log = logOf(predecessorEntry('localhost:8787/log', null, last + 1))
    const exportedOn = (day: number) => dateOf(last + day * DAY_MS)
    const findings = (day: number) =>
      [...terms.values()].flatMap((same) =>
        log.checkPlays({ ...same, exportedOn: exportedOn(day) }),
      )
    expect(findings(1)).toEqual([])
    expect(findings(2)).toHaveLength(terms.size)
  })

  it('are caught if one is dated before an earlier one of its wallet', () => {
    const own = PLAYS.filter(({ wallet, game }) => wallet === PLAYS[0]!.wallet && game !== 'mines')
    const findings = (times: number[], game: GameName = 'limbo') => {
      const plays = times.map((settledAt, index) => ({ ...own[index]!, settledAt }))
      const order = new PlaySequence(0)
      const games = times.map((_, index) => (index === 1 ? game : 'limbo'))
      const runs = auditPlays(plays).runs.map((run) => ({ ...run, games }))
      order.add(runs, '1970-01-01')
      return order.findings.map(({ problem }) => problem)
    }
    expect(findings([5, 5, 6])).toEqual([])
    expect(findings([5, 4, 5])).toEqual([
      `play ${own[1]!.nonce} was settled at 1970-01-01T00:00:00.004Z, before an earlier play`,
    ])
    // A game of mines may end after later plays.
    expect(findings([5, 9, 6], 'mines')).toEqual([])
  })
})

const PRIZES = [
  { bps: 9_000, label: 'Small', asset: 'ETH', amountWei: '5' },
  { bps: 1_000, label: 'Large', asset: 'REWARD', amountWei: '200' },
]
const OFFERED = otherTerms((terms) => {
  const spinPrizes = [{ bps: 10_000, label: 'Spin', asset: 'REWARD', amountWei: '1' }]
  const contracts = { chainId: 1, pool: '0xc0', tokens: { REWARD: '0xd0' } }
  terms.lootbox = { price: '10', prizes: PRIZES, spinPrizes, spinDailyLimit: 5, ...contracts }
})
const DAY = '2026-11-01'
const [SEED_HASH, OTHER_HASH] = ['aa'.repeat(32), 'bb'.repeat(32)] as const
const BEGINS_AT = Date.parse(DAY)
const OPENED_AT = BEGINS_AT + DAY_MS / 2

/** The commitment to the day. @param at when it carries that it was made */
const committedAt = (at: number) =>
  seedHashEntry({ day: DAY, seedHash: SEED_HASH, pepperHash: OTHER_HASH, committedAt: at })
const COMMITTED = committedAt(BEGINS_AT - DAY_MS)
const OPENING: ExportedOpening = {
  id: 'opening',
  wallet: '0x3',
  day: DAY,
  seedHash: SEED_HASH,
  seed: '',
  roll: 0,
  openedAt: OPENED_AT,
  from: { txHash: '0x1', blockHash: '0x2' },
  odds: [9_000, 1_000],
  tier: 1,
  label: 'Large',
  asset: 'REWARD',
  prize: '200',
}
const SPIN = {
  from: {
    acceptedAt: 1,
    pepper: '',
    pepperSource: { kind: 'committed', pepperHash: OTHER_HASH } as PepperSource,
  },
  odds: [10_000],
  tier: 0,
  label: 'Spin',
  prize: '1',
}

describe('exported openings', () => {
  const problems = (change: Partial<ExportedOpening>, ...entries: LogEntry[]) =>
    logOf(...entries)
      .checkOpening({ ...OPENING, ...change }, DAY)
      .map(({ problem }) => problem)

  it('have nothing to find if logged terms offer them, under the logged seed hash', () => {
    expect(problems({}, COMMITTED, OFFERED)).toEqual([])
    expect(problems(SPIN, COMMITTED, OFFERED)).toEqual([])
    expect(problems({ ...SPIN, from: OPENING.from }, COMMITTED, OFFERED)).toHaveLength(1)
  })

  it('of free spins are caught with another pepper than the committed one, or one of another kind', () => {
    const by = (pepperSource: PepperSource) => ({
      ...SPIN,
      from: { acceptedAt: 1, pepper: '', pepperSource },
    })
    const other = by({ kind: 'committed', pepperHash: SEED_HASH })
    expect(problems(other, COMMITTED, OFFERED)).toEqual([
      `the hash of the pepper of ${DAY} is not the logged one`,
    ])
    expect(problems(by({ kind: 'drand-quicknet', round: 7 }), COMMITTED, OFFERED)).toEqual([
      'no logged terms offer these odds and this prize of a spin with a drand-quicknet pepper',
    ])
  })

  it.each<[string, Partial<ExportedOpening>]>([
    ['other odds', { odds: [9_500, 500] }],
    ['a smaller prize', { prize: '100' }],
    ['a prize in another asset', { asset: 'ETH' }],
    ['the prize of another tier', { tier: 0 }],
  ])('are caught with %s', (_what, change) => {
    expect(problems(change, COMMITTED, OFFERED)).toEqual([
      'no logged terms offer these odds and this prize',
    ])
  })

  it('are caught under a seed hash that was not logged for their day', () => {
    expect(problems({ seedHash: OTHER_HASH }, COMMITTED, OFFERED)).toEqual([
      `the seed hash of ${DAY} is not the logged one`,
    ])
    expect(problems({}, OFFERED)).toEqual([`the seed hash of ${DAY} is not in the public log`])
  })

  /** An entry that shows how late it is. */
  const other = (at: number): LogEntry => ({ kind: 'export', id: `at ${at}`, at })
  /** A round's plan under the terms that offer the lootbox. */
  const planned = (at: number): LogEntry => ({ kind: 'plan', id: '1', at, terms: OFFERED.id })
  const LATE = expect.stringContaining(`the seed hash of ${DAY} was logged only later`)
  const last = OPENED_AT + HOUR_MS

  it('are caught if their day was committed to over an hour after them, whatever time that carries', () => {
    expect(problems({}, OFFERED, committedAt(last))).toEqual([])
    expect(problems({}, OFFERED, committedAt(last + 1))).toEqual([LATE])
    expect(problems({}, OFFERED, other(last), COMMITTED)).toEqual([])
    expect(problems({}, OFFERED, other(last + 1), COMMITTED)).toEqual([LATE])
  })

  it.each([2, 3])(
    'are caught if their day was not committed to before it began, %i days after a round',
    (days) => {
      const plan = planned(BEGINS_AT - days * DAY_MS)
      const before = { ...OFFERED, at: plan.at }
      const first = BEGINS_AT + 5_000
      expect(problems({}, before, plan, committedAt(first))).toEqual([])
      expect(problems({}, before, plan, committedAt(first + 1))).toEqual([LATE])
      expect(problems({}, before, plan, other(first + 1), COMMITTED)).toEqual([LATE])
    },
  )

  it.each<[string, LogEntry]>([
    ['the service was down for days', planned(BEGINS_AT - 4 * DAY_MS)],
    ['the lootbox was new', planned(BEGINS_AT - 1)],
    ['no round had terms that offer it', { ...planned(BEGINS_AT - 2 * DAY_MS), terms: null }],
  ])('may be of a day that was committed to after it began if %s', (_why, plan) => {
    const before = { ...OFFERED, at: plan.at }
    expect(problems({}, before, plan, committedAt(OPENED_AT))).toEqual([])
  })

  it('are caught if the terms that offer them were logged over an hour after them', () => {
    const late = 'the terms that offer these odds and this prize were logged only later'
    expect(problems({}, COMMITTED, { ...OFFERED, at: last })).toEqual([])
    expect(problems({}, COMMITTED, { ...OFFERED, at: last + 1 })).toEqual([
      expect.stringContaining(late),
    ])
    expect(problems({}, COMMITTED, other(last + 1), OFFERED)).toEqual([
      expect.stringContaining(late),
    ])
  })

  describe('between rounds', () => {
    const withoutLootbox = otherTerms((terms) => {
      terms.lootbox = null
    })
    const MINUTE_MS = 60_000
    /** Rounds at some minutes after the opening, under some terms; a hundred unless it says how many. */
    type Rounds = [minutes: number, terms: LogEntry, count?: number]
    /** Findings with rounds in this order in the log. @param loggedAt when the terms were that offer the lootbox */
    const among = (rounds: Rounds[], change = {}, loggedAt = 0) => {
      const plans = rounds.flatMap(([minutes, { id }, count = 100], n) =>
        Array.from({ length: count }, (_, own) => {
          return { ...planned(OPENED_AT + minutes * MINUTE_MS), id: `${n} ${own}`, terms: id }
        }),
      )
      const before = [COMMITTED, withoutLootbox].map((entry) => ({ ...entry, at: 0 }))
      return problems(change, ...before, { ...OFFERED, at: loggedAt }, ...plans)
    }
    const NOT_IN_FORCE = 'the rounds around it follow no terms that offer these odds and this prize'

    it('are caught if those follow no terms that offer them', () => {
      expect(
        among([
          [-1, withoutLootbox],
          [1, withoutLootbox],
        ]),
      ).toContain(NOT_IN_FORCE)
      expect(
        among([
          [30, withoutLootbox],
          [-30, withoutLootbox],
        ]),
      ).toContain(NOT_IN_FORCE)
    })

    it.each<[string, Rounds[]]>([
      [
        'some of those follow terms that offer them',
        [
          [-25, OFFERED],
          [-1, withoutLootbox],
          [2, withoutLootbox],
        ],
      ],
      [
        'the terms changed between their payment and them, a day later',
        [
          [-25 * 60, OFFERED],
          [-24 * 60, withoutLootbox],
          [-1, withoutLootbox],
          [1, withoutLootbox],
        ],
      ],
      [
        'the table stood still when they were paid, and the terms changed before the next round',
        [
          [-40 * 60, OFFERED],
          [-1, withoutLootbox],
          [1, withoutLootbox],
        ],
      ],
      [
        'the terms changed before the next round',
        [
          [-1, withoutLootbox],
          [1, OFFERED],
        ],
      ],
      [
        'the terms are being deployed, and of the nearest rounds only one long before follows them',
        [
          [-29 * 60, OFFERED, 1],
          [-28 * 60, withoutLootbox, 1],
          [-1, withoutLootbox, 98],
          [1, withoutLootbox],
        ],
      ],
      [
        'the terms are being deployed, and of the nearest rounds only one long after follows them',
        [
          [-1, withoutLootbox],
          [1, withoutLootbox, 99],
          [60, OFFERED, 1],
        ],
      ],
      [
        'fewer than a hundred rounds came later',
        [
          [-1, withoutLootbox],
          [1, withoutLootbox, 99],
        ],
      ],
      [
        'no round follows it, so nothing shows which terms were in force',
        [
          [-1, withoutLootbox],
          [31, withoutLootbox],
        ],
      ],
      [
        'no round precedes it',
        [
          [-31, withoutLootbox],
          [1, withoutLootbox],
        ],
      ],
    ])('are not if %s', (_why, rounds) => {
      expect(among(rounds)).not.toContain(NOT_IN_FORCE)
    })

    it('are caught if no round of the day before them follows terms that offer them', () => {
      const rounds: Rounds[] = [
        [-27 * 60, OFFERED],
        [-26 * 60, withoutLootbox],
        [-1, withoutLootbox],
        [1, withoutLootbox],
      ]
      expect(among(rounds)).toContain(NOT_IN_FORCE)
    })

    it('are not if terms that offer them were first logged within the hour before their payment', () => {
      const rounds: Rounds[] = [
        [-1, withoutLootbox],
        [1, withoutLootbox],
      ]
      const earliest = OPENED_AT - 26 * HOUR_MS
      expect(among(rounds, {}, earliest)).not.toContain(NOT_IN_FORCE)
      expect(among(rounds, {}, earliest - 1)).toContain(NOT_IN_FORCE)
    })

    it('are not excused by other terms with the same prizes that were logged months later', () => {
      const copy = { ...(OFFERED['terms'] as unknown as TermsOfPlay), note: 'later' }
      const again = termsEntry(copy, termsSummary(copy).hash, OPENED_AT + 90 * DAY_MS)
      const plans = [-1, 1].flatMap((minutes) =>
        Array.from({ length: 100 }, (_, own) => {
          return {
            ...planned(OPENED_AT + minutes * MINUTE_MS),
            id: `${minutes} ${own}`,
            terms: withoutLootbox.id,
          }
        }),
      )
      const before = [COMMITTED, withoutLootbox, OFFERED].map((entry) => ({ ...entry, at: 0 }))
      expect(problems({}, ...before, ...plans)).toContain(NOT_IN_FORCE)
      expect(problems({}, ...before, ...plans, again)).toContain(NOT_IN_FORCE)
    })

    it('of free spins follow the terms of when they were accepted', () => {
      const from = { ...SPIN.from, acceptedAt: OPENED_AT - 120 * MINUTE_MS }
      const spunAmong = (accepted: LogEntry, opened: LogEntry) =>
        among(
          [
            [-121, accepted],
            [-119, accepted],
            [-1, opened],
            [1, opened],
          ],
          { ...SPIN, from },
        )
      const ofSpin = 'of a spin with a committed pepper'
      expect(spunAmong(OFFERED, withoutLootbox)).not.toContain(`${NOT_IN_FORCE} ${ofSpin}`)
      expect(spunAmong(withoutLootbox, OFFERED)).toContain(`${NOT_IN_FORCE} ${ofSpin}`)
    })
  })

  it('may be of a day that was committed to in a log that this one succeeds, which repeats it later', () => {
    const began = BEGINS_AT - 2 * DAY_MS
    const entries = [
      predecessorEntry('localhost:8787/log', null, began),
      { ...OFFERED, at: began },
      planned(began),
      other(BEGINS_AT + DAY_MS),
    ]
    expect(problems({}, ...entries, COMMITTED)).toEqual([])
    expect(problems({}, ...entries, committedAt(OPENED_AT))).toEqual([LATE])
  })

  it('from before a log that succeeds another one are compared with nothing', () => {
    const succession = predecessorEntry('localhost:8787/log', null, OPENING.openedAt + 1)
    expect(problems({}, succession)).toEqual([])
  })

  it('from before such a log are counted if they are exported more than a day after it began', () => {
    const log = logOf(predecessorEntry('localhost:8787/log', null, OPENED_AT + 1))
    const [inTime, late] = [BEGINS_AT + DAY_MS, BEGINS_AT + 2 * DAY_MS].map(dateOf) as [
      string,
      string,
    ]
    expect(log.checkOpening(OPENING, inTime)).toEqual([])
    expect(log.uncompared).toEqual([])
    expect(log.checkOpening(OPENING, late)).toEqual([])
    expect(log.uncompared).toEqual([OPENING.id])
  })
})
