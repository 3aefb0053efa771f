import type { Finding } from '../../audit/finding.ts'
import type { ShownUse } from '../../audit/in-force.ts'
import type { Statistic } from '../../audit/statistics.ts'
import type { DrawTally, ReturnTally, VoidTally } from '../../audit/tally.ts'
import { printable } from '../../core/printable.ts'
import { isoTime } from '../../core/utc-day.ts'
import { counted } from '../../core/words.ts'
import { wholeUnits } from '../../money/whole-units.ts'
import type { Predecessor } from '../../transparency/predecessor.ts'

/** The findings of an audit. */
export interface AuditReport {
  source: string
  days: string[]
  /** Whether the days must begin with the first one of the history, so that nothing may be missing before them. */
  isWhole: boolean
  manifests: { day: string; sha256: string }[]
  /** The key of the public log that the export was compared with; null without one. */
  logKey: string | null
  playTerms: ShownUse[]
  /** The hashes of the terms that were used just after they were logged and that no round around that time followed. */
  unfollowed: string[]
  /**
   * The rows that were exported more than a day after their time: the ids of openings, and how many plays of how many
   * wallets.
   */
  late: { openings: string[]; plays: number; wallets: number }
  /** The ids of openings from before the log that were exported more than a day after it began. */
  uncompared: string[]
  /** The number of payments of openings that were compared with the chain, and of those that were not. */
  payments: { compared: number; uncompared: number }
  /** The wallets and numbers of games named as open on three days or more while their wallets had no plays. */
  openGames: string[]
  /** The log that it succeeds, which has the earlier entries; null if it is the site's first. */
  predecessor: Predecessor | null
  counted: {
    rounds: number
    voided: number
    /** The rounds whose pepper was a secret of the house. */
    committed: number
    bets: number
    plays: number
    wallets: number
    openings: number
    boxes: number
    beacons: number
  }
  findings: Finding[]
  /** The number of findings, of which the report shows the first. */
  findingCount: number
  statistics: Statistic[]
  crashDraws: DrawTally
  voids: VoidTally[]
  returns: ReturnTally[]
  seconds: number
}

/** Returns whether an audit found nothing wrong. */
export function passes({ findingCount, statistics }: AuditReport): boolean {
  return findingCount === 0 && statistics.every(({ result }) => result === null || result.passes)
}

/**
 * Returns the verdict of an audit. It names comparisons that weren't made, because rows without them don't count as
 * right.
 */
export function verdictOf(report: AuditReport): string {
  if (!passes(report)) return 'The audit found something wrong.'
  const missing = [
    ...(report.logKey === null ? ['The export was not compared with a public log.'] : []),
    ...(report.payments.uncompared > 0
      ? ['Not all payments of openings were compared with the chain.']
      : []),
  ]
  return ['The audit found nothing wrong.', ...missing].join(' ')
}

/** Returns a report as JSON, amounts as decimal text. */
export function toJson(report: AuditReport): string {
  const text = (_: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)
  return `${JSON.stringify(report, text, 2)}\n`
}

const SHOWN_FINDINGS = 20

/** The questions that no audit of an export can answer. reference/audit.md says more. */
export const UNSEEN = [
  'whether the rows are what players were shown: only their receipts (--receipts) and, for rounds, the public log tell',
  'a bet or a wallet that was left out before the close: its player’s receipt proves it',
  'whether stakes and choices are the players’ own',
  'whether a cash-out that no limit forced was asked for by its player',
  'when a seed hash was published',
  'whether the boxes are those on the chain: any node tells',
  'with committed peppers (local play), anything about chance: the house knew both secrets',
]

/** Returns a report as text. Characters that could control a terminal are escaped: most texts in it are the house's. */
export function textReport(report: AuditReport): string {
  const { source, days, manifests, findings, findingCount, statistics, voids } = report
  const made = statistics.filter(({ result }) => result !== null)
  const skipped = statistics.length - made.length
  return [
    `The export of ${source}, ${days.at(0)} to ${days.at(-1)} (${counted(days.length, 'day')}, ${report.seconds.toFixed(1)} s)`,
    ...comparisonLines(report),
    ...manifests.slice(-1).map(({ day, sha256 }) => `  manifest of ${day}: ${sha256}`),
    '',
    ...countLines(report.counted),
    ...lateLines(report),
    ...termsLines(report),
    '',
    findingCount === 0
      ? 'Every row is right, and none is missing.'
      : `${counted(findingCount, 'finding')}:`,
    ...findings.slice(0, SHOWN_FINDINGS).map(({ where, problem }) => `  ${where}: ${problem}`),
    ...(findingCount > SHOWN_FINDINGS ? [`  and ${findingCount - SHOWN_FINDINGS} more`] : []),
    '',
    `Statistics (an honest house fails any with a probability of about 0.001):`,
    ...made.flatMap(statisticLines),
    ...(skipped > 0 ? [`  ${counted(skipped, 'test')} skipped: there is not enough data.`] : []),
    '',
    ...profitLines(voids),
    'Not seen:',
    ...UNSEEN.map((text) => `  - ${text}`),
    ...(report.counted.committed > 0 ? ['', committedLine(report)] : []),
  ]
    .map(printable)
    .join('\n')
}

function committedLine({ counted: { committed } }: AuditReport): string {
  return `${counted(committed, 'round')} with a pepper that the house committed to, and so knew beforehand. Only local play has such rounds.`
}

/** Names the public log and the other sources that the export was compared with. */
export function comparisonLines(report: AuditReport): string[] {
  return [
    ...(report.isWhole
      ? []
      : ['  Earlier days may be missing from it: gaps before this day are not seen.']),
    report.logKey === null
      ? '  It was compared with no public log: the house could export another history to each caller.'
      : `  It was compared with the public log of the key ${report.logKey}`,
    ...predecessorLines(report),
    ...paymentLines(report),
  ]
}

/** Says which blocks of payments are the house's word. */
function paymentLines({ payments: { compared, uncompared } }: AuditReport): string[] {
  return [
    ...(compared > 0 ? [`  Payments of openings compared with the chain: ${compared}`] : []),
    ...(uncompared > 0
      ? [
          `  Payments of openings not compared with the chain: ${uncompared}. The house could have invented their blocks to choose what they won. Add --rpc with a node that the house does not run and that keeps old transactions.`,
        ]
      : []),
  ]
}

/** Returns the gaps in the log's confirmation if it succeeds another one. */
function predecessorLines({ predecessor, uncompared }: AuditReport): string[] {
  if (!predecessor) return []
  const { name, at } = predecessor
  return [
    `  This log succeeds ${name} since ${isoTime(at)}. What is older was not compared with any log: ask the house why that one ended.`,
    ...(uncompared.length > 0
      ? [
          `  Openings dated before that, but exported more than a day after it: ${uncompared.length}. An outage explains them, but so would times that were dated back to what no log shows. Compare the times of their blocks, and ask the house about many.`,
        ]
      : []),
  ]
}

export function countLines(of: AuditReport['counted']): string[] {
  const { voided, wallets, beacons } = of
  const rounds = `${counted(of.rounds, 'round')}, of which ${voided.toLocaleString('en')} voided`
  return [
    `  ${rounds}; ${counted(beacons, 'beacon signature')}`,
    `  ${counted(of.bets, 'bet')}`,
    `  ${counted(of.plays, 'play')} of ${counted(wallets, 'wallet')}`,
    `  ${counted(of.openings, 'opening')}`,
    `  ${counted(of.boxes, 'box', 'boxes')}`,
  ]
}

/**
 * Counts the rows that may have been dated back or held back. Outages delay those of an honest house, too, so none is a
 * finding.
 */
export function lateLines({
  late: { openings, plays, wallets },
  openGames,
}: Pick<AuditReport, 'late' | 'openGames'>) {
  const opened = `  Openings exported late: ${openings.length}. An outage explains them, but so would times that were dated back to choose a seed. Compare the times of their blocks, and ask the house about many.`
  const played = `  Plays exported late: ${plays}, of ${counted(wallets, 'wallet')}. An outage explains them, but so would times that were dated back to terms that no longer held. Ask the house about many.`
  const open = `  Games named as open on three days or more, without other plays of their wallets: ${openGames.length}. A ledger that can't be read explains them, but so would games that the house doesn't settle. Ask the house about any.`
  return [
    ...(openings.length > 0 ? [opened] : []),
    ...(plays > 0 ? [played] : []),
    ...(openGames.length > 0 ? [open] : []),
  ]
}

const SHOWN_TERMS = 20

/**
 * Shows for how many wallets each terms held. Terms that held for few wallets, that returned, or that no round followed
 * deserve a look. An honest house may have any of these, as during a short deployment, so the audit doesn't judge them.
 */
export function termsLines({
  playTerms,
  unfollowed,
}: Pick<AuditReport, 'playTerms' | 'unfollowed'>): string[] {
  const newest = playTerms.toSorted((one, other) => (one.to < other.to ? 1 : -1))
  const hidden = newest.length - SHOWN_TERMS
  const hashes = new Set<string | null>(unfollowed)
  const isUnfollowed = ({ terms }: ShownUse) => hashes.has(terms)
  const are = unfollowed.length === 1 ? 'set of terms was' : 'sets of terms were'
  return [
    ...newest.slice(0, SHOWN_TERMS).map((use) => {
      const note = isUnfollowed(use) ? '; at times, no round around them followed these terms' : ''
      const made = `${counted(use.plays, 'play')} of ${counted(use.wallets, 'wallet')}, ${use.from} to ${use.to}`
      return `  terms ${use.terms ?? 'that are not named'}, edge ${use.edgeBps / 100}%: ${made}${note}`
    }),
    ...(hidden > 0 ? [`  and ${counted(hidden, 'earlier use')} of other terms`] : []),
    ...(unfollowed.length > 0
      ? [
          `  ${unfollowed.length} ${are} used soon after being logged, or because of an order, but no round around then followed them. Orders and deployments that are withdrawn at once leave a few; ask the house about many.`,
        ]
      : []),
  ]
}

function statisticLines({ name, sample, result }: Statistic): string[] {
  if (!result) return []
  const { observed, expected, p, passes: isRight, detectable } = result
  const probability = p === null ? '' : ` (p = ${p.toPrecision(3)})`
  return [
    `  ${isRight ? '✓' : '✗'} ${name}, ${sample}: ${observed}; expected ${expected}${probability}`,
    `      could have detected ${detectable}`,
  ]
}

/**
 * Shows the house's profit of settled rounds, and the stakes that it returned by voiding others. Their shares may
 * differ at an honest house: an outage voids rounds in a row, which may have other stakes.
 */
export function profitLines(voids: readonly VoidTally[]): string[] {
  return voids
    .filter(({ rounds }) => rounds > 0)
    .map(({ token, rounds, voided, staked, voidedStaked, settledStaked, settledPaid }) => {
      const shown = (amount: bigint) => `${wholeUnits(amount, token)} ${token}`
      const percent = (part: bigint, whole: bigint) => `${Number((part * 10_000n) / whole) / 100}%`
      return `House profit of settled rounds in ${token}: ${shown(settledStaked - settledPaid)} of ${shown(settledStaked)} staked. Voided rounds: ${voided} (${percent(BigInt(voided), BigInt(rounds))} of those with bets in ${token}), which returned ${shown(voidedStaked)} (${percent(voidedStaked, staked)} of all stakes).`
    })
}
