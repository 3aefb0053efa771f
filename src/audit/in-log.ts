import { canonicalJson } from '../core/canonical-json.ts'
import { sha256Hex } from '../core/sha256.ts'
import { DAY_MS, endOfDay, isoTime, startOfDay } from '../core/utc-day.ts'
import type { RoundRow } from '../exports/rows.ts'
import type { PepperSource } from '../fairness/pepper.ts'
import type { LogEntry, LoggedEntry } from '../transparency/entry.ts'
import { predecessorOf, type Predecessor } from '../transparency/predecessor.ts'
import { isAhead } from '../verify/entry-times.ts'
import { checksOf } from '../verify/logged-breach.ts'
import { isPlannedBefore } from '../verify/logged-round.ts'
import { COMMITTED_AHEAD_MS, SeedDeadlines } from '../verify/logged-seeds.ts'
import { verifyTerms } from '../verify/logged-terms.ts'
import { BatchesInLog } from './batches-in-log.ts'
import type { BoxBatch } from './boxes.ts'
import { findingsOf, type Finding } from './finding.ts'
import type { TermsUse } from './in-force.ts'
import { LOGGED_WITHIN_MS, LoggedTerms, type PlaysUnderTerms } from './in-terms.ts'
import { PAID_WITHIN_MS, type ExportedOpening } from './openings.ts'
import { PlannedTerms } from './planned-terms.ts'

/** An exported round as its log entries have to be, in hashes: an audit holds all rounds of the log at once. */
export interface RoundDigest {
  roundId: number
  openedAt: number
  betsCloseAt: number
  /** The plan as far as every round tells it. */
  start: string
  /** The whole plan; null in a round without one. */
  plan: string | null
  bets: string
  /** The end or the void. */
  result: string
}

const START = ['at', 'openedAt', 'betsCloseAt', 'seedHash', 'pepperSource', 'edgeBps'] as const
const PLAN = [
  ...START,
  ...(['flightAt', 'voidAt', 'resultsMs', 'minForcedMultiplier', 'limits'] as const),
  ...(['bankroll', 'terms'] as const),
] as const
const BETS = ['at', 'betsRoot', 'betCount'] as const
const VOID = [...BETS, 'kind', 'seed', 'reason'] as const
const END = [...BETS, 'kind', 'seed', 'pepper', 'signature', 'crash', 'takeoffAt'] as const

/** Returns the digests that the entries of an exported round must have. */
export function digestOf(round: RoundRow): RoundDigest {
  const { roundId, plan, openedAt, betsCloseAt, endedAt } = round
  // Other checks go by the time of a plan's entry, so it must be that of the round.
  const at = openedAt
  const result =
    round.kind === 'voided'
      ? hashOf({ ...round, kind: 'void', at: endedAt }, VOID)
      : hashOf({ ...round, kind: 'end', at: endedAt }, END)
  return {
    roundId,
    openedAt,
    betsCloseAt,
    result,
    start: hashOf({ ...round, at }, START),
    plan: plan && hashOf({ ...plan, at }, PLAN),
    bets: hashOf({ ...round, at: betsCloseAt }, BETS),
  }
}

/** A day is logged before it is listed. A crash between the two delays the list. */
const LISTED_WITHIN_MS = 3_600_000

interface LoggedRound {
  start?: string
  plan?: string
  bets?: string
  result?: string
  /** When it was planned, in unix milliseconds. */
  plannedAt?: number
  /** When it ended or was voided, in unix milliseconds. */
  endedAt?: number
  isExported?: boolean
  /** Problems with the logged plan itself. */
  findings?: Finding[]
}

/** The entries of a public log on rounds, batches of boxes and exports. */
export class LoggedHistory {
  readonly #rounds = new Map<string, LoggedRound>()
  readonly #batches = new BatchesInLog()
  /** The entries of exported days, by day. */
  readonly #exports = new Map<string, LogEntry>()
  /** The commitment of each lootbox day, by id: the hashes of its seed and of its pepper, and when they were logged. */
  readonly #commitments = new Map<string, { entry: LogEntry; loggedAt: number }>()
  readonly seedDeadlines = new SeedDeadlines()
  readonly #planned = new PlannedTerms()
  /** The newest time of the entries so far. The next entry was logged no earlier, whatever time it has. */
  #newestAt = 0
  /** The terms of play that were logged so far. */
  readonly #terms = new LoggedTerms()
  /** The log that this one succeeds, which has the earlier entries; null if this is the site's first. */
  #predecessor: Predecessor | null = null
  /** The number of the first round that this log has planned; null before that. */
  #firstRound: number | null = null
  readonly #readAt: number
  /** Problems with the entries themselves, whatever is exported. */
  readonly findings: Finding[] = []
  /**
   * The terms that were used although no round around that time followed them, because they had only just been logged,
   * or because operators may have set them between two rounds.
   */
  readonly unfollowed = new Set<string>()
  /**
   * The ids of openings from before this log that were exported more than a day after it began. An outage may have
   * delayed them. But their times are the house's own, and no log has their terms, and perhaps not their seeds.
   */
  readonly uncompared: string[] = []

  /** @param readAt when the log was read, in unix milliseconds by the reader's clock */
  constructor(readAt: number) {
    this.#readAt = readAt
  }

  get predecessor(): Predecessor | null {
    return this.#predecessor
  }

  /** Takes the next entry. */
  take(logged: LoggedEntry): void {
    const { entry } = logged
    const { kind, id } = entry
    this.#checkEntry(logged)
    this.seedDeadlines.take(logged)
    const loggedAt = Math.max(entry.at, this.#newestAt)
    this.#newestAt = loggedAt
    if (kind === 'terms') this.#terms.take(logged, loggedAt)
    if (logged.index === 0) this.#predecessor = predecessorOf(entry)
    if (kind === 'export') this.#exports.set(id, entry)
    if (kind === 'batch') {
      const misnamed = this.#batches.take(logged, this.#terms.all())
      // A log that succeeds another one lacks the terms under which that one's batches were logged.
      if (!this.#predecessor) this.findings.push(...misnamed)
    }
    if (kind === 'seeds' && id.endsWith(':hash')) this.#commitments.set(id, { entry, loggedAt })
    if (kind === 'plan') this.#takePlan(logged)
    if (kind === 'control') this.#planned.takeVersion(entry, loggedAt)
    if (kind === 'bets') this.#add(id, { bets: hashOf(entry, BETS) })
    if (kind === 'end') this.#add(id, { result: hashOf(entry, END), endedAt: entry.at })
    if (kind === 'void') this.#add(id, { result: hashOf(entry, VOID), endedAt: entry.at })
  }

  /** A log that could name a predecessor later, or at a later time, could excuse any missing entry. */
  #checkEntry({ index, entry: { kind, at } }: LoggedEntry): void {
    const where = `entry ${index} of the public log`
    if (kind === 'log' && index > 0) {
      const problem = 'it names a predecessor, which only the first entry of a log may'
      this.findings.push({ where, problem })
    }
    if (isAhead(at, this.#readAt)) {
      const problem = `it has the time ${isoTime(at)}, but by your clock it was read at ${isoTime(this.#readAt)}`
      this.findings.push({ where, problem })
    }
  }

  /** Returns whether the log has a day's manifest. */
  hasManifest(day: string): boolean {
    return this.#exports.has(day)
  }

  /** Compares a day's manifest with the one that was logged. */
  checkManifest(day: string, sha256OfIt: string): Finding[] {
    const logged = this.#exports.get(day)?.['sha256']
    if (logged === sha256OfIt || (logged === undefined && this.#isBefore(endOfDay(day)))) return []
    const where = `the export of ${day}`
    if (typeof logged !== 'string') return [{ where, problem: 'the public log has no entry of it' }]
    const problem = `its manifest has the sha256 ${sha256OfIt}, not the logged ${logged}`
    return [{ where, problem }]
  }

  /**
   * Returns the days that a site has exported and no longer lists, or does not list yet.
   * @param newest the last day that it lists @param to the last day that is audited; null for all
   * @param now when the site was asked, in unix milliseconds
   */
  unlistedDays(newest: string, to: string | null, now: number): Finding[] {
    return [...this.#exports.values()].flatMap(({ id, at }) => {
      const isAudited = id > newest && (to === null || id <= to)
      if (!isAudited || at >= now - LISTED_WITHIN_MS) return []
      return [{ where: `the export of ${id}`, problem: 'it is in the public log, but not listed' }]
    })
  }

  /**
   * Returns the rounds that the exported days lack. After the last exported round, numbers without gaps show none.
   * @param from the start of the first day @param to the end of the last one; rows may come a day late
   */
  missingRounds(from: number, to: number): Finding[] {
    return [...this.#rounds].flatMap(([id, { plannedAt, endedAt, isExported }]) => {
      const at = endedAt ?? plannedAt
      const isExpected = at !== undefined && at >= from && at < to - DAY_MS
      if (!isExpected || isExported) return []
      const part = endedAt === undefined ? 'plan' : 'end'
      return [
        { where: `round ${id}`, problem: `the public log has its ${part}, but no day has it` },
      ]
    })
  }

  /** Compares an exported round with the one that was logged. */
  checkRound(digest: RoundDigest): Finding[] {
    const { roundId } = digest
    const logged = this.#rounds.get(String(roundId)) ?? {}
    logged.isExported = true
    const began = this.#predecessor
    const isBefore = began !== null && isPlannedBefore(digest, began.at, this.#firstRound)
    const others = (['start', 'plan', 'bets', 'result'] as const).flatMap((part) => {
      if (digest[part] === null || digest[part] === logged[part]) return []
      if (logged[part] === undefined && isBefore) return []
      const is = logged[part] === undefined ? 'not in the public log' : 'not the logged one'
      return [{ where: `round ${roundId}`, problem: `${NAMES[part]} is ${is}` }]
    })
    return [...others, ...(logged.findings ?? [])]
  }

  #takePlan(plan: LoggedEntry): void {
    const { entry } = plan
    const { terms: hash } = entry
    const terms = typeof hash === 'string' ? this.#terms.find(hash) : null
    this.seedDeadlines.takePlan(plan, terms)
    this.#planned.take(entry)
    this.#firstRound ??= Number(entry.id)
    const checks = checksOf(() => verifyTerms(plan, terms))
    this.#add(entry.id, {
      plannedAt: entry.at,
      start: hashOf(entry, START),
      plan: hashOf(entry, PLAN),
      findings: findingsOf(`round ${entry.id}`, checks),
    })
  }

  /** Compares a batch of exported boxes with the one that was logged. */
  checkBatch(batch: BoxBatch): Finding[] {
    return this.#batches.check(batch, this.#isBefore(batch.at))
  }

  /** Compares plays that are paid in the same way with the logged terms that they name. */
  checkPlays(plays: PlaysUnderTerms): Finding[] {
    return this.#terms.checkPlays(plays, this.#predecessor?.at ?? null)
  }

  /** Checks that the terms of plays may have been in force when they were made, by the rounds around them. */
  checkInForce({ terms, hours }: TermsUse): Finding[] {
    if (terms === null || !this.#terms.find(terms)) return []
    return [...hours.values()]
      .flatMap(([first, last]) => (first === last ? [first] : [first, last]))
      .flatMap(({ wallet, nonce, settledAt, openMs }) => {
        const around = this.#planned.around(settledAt, openMs)
        const span = [settledAt - openMs, settledAt] as const
        if (this.#mayHold([terms], around, span) || this.#mayBeSet(terms, around, span)) return []
        const problem = `the rounds around it do not follow its terms ${terms}`
        return [{ where: `play ${nonce} of ${wallet}`, problem }]
      })
  }

  /**
   * Compares an opening with the logged commitment of its day, and with the offers of logged terms.
   * @param exportedOn the day of its file, as YYYY-MM-DD
   */
  checkOpening(opening: ExportedOpening, exportedOn: string): Finding[] {
    const { id, day, from, seedHash, openedAt } = opening
    const commitment = this.#commitments.get(`${day}:hash`)
    const logged = commitment?.entry
    const isOld = this.#isBefore(openedAt)
    if (isOld && !this.#isBefore(Date.parse(exportedOn) - DAY_MS)) this.uncompared.push(id)
    if (!logged && isOld) return []
    const where = `opening ${id}`
    const mayHold = (terms: readonly string[]) => this.#mayHoldAt(opening, terms)
    const findings = isOld ? [] : this.#terms.checkOpening(opening, mayHold)
    const is = logged ? 'not the logged one' : 'not in the public log'
    if (logged?.['seedHash'] !== seedHash) {
      findings.push({ where, problem: `the seed hash of ${day} is ${is}` })
    }
    const loggedAt = commitment ? this.#committedAt(day, commitment) : 0
    if (loggedAt > (this.seedDeadlines.of(day) ?? openedAt + LOGGED_WITHIN_MS)) {
      const problem = `the seed hash of ${day} was logged only later, at ${isoTime(loggedAt)}`
      findings.push({ where, problem })
    }
    const pepperHash = 'pepper' in from ? committedHash(from.pepperSource) : null
    if (pepperHash !== null && logged?.['pepperHash'] !== pepperHash) {
      findings.push({ where, problem: `the hash of the pepper of ${day} is ${is}` })
    }
    return findings
  }

  /** Returns whether one of some terms may have been in force when a spin was accepted, or when a payment was made. */
  #mayHoldAt({ from, openedAt }: ExportedOpening, terms: readonly string[]): boolean {
    const [at, sinceMs] = 'pepper' in from ? [from.acceptedAt, 0] : [openedAt, PAID_WITHIN_MS]
    return this.#mayHold(terms, this.#planned.around(at, sinceMs), [at - sinceMs, at])
  }

  /**
   * Returns whether one of some terms may have been in force.
   * @param around the terms of the rounds around the time; null if they show nothing
   * @param span the earliest and the latest time at which they must have been in force, in unix milliseconds
   */
  #mayHold(
    terms: readonly string[],
    around: ReadonlySet<string> | null,
    [from, to]: readonly [number, number],
  ): boolean {
    if (!around || terms.some((each) => around.has(each))) return true
    // Terms that were only just logged may have been withdrawn before the next round, and a new log has old ones again.
    const fresh = terms.filter((each) => {
      const at = this.#terms.loggedAt(each)
      return at !== null && at >= from - LOGGED_WITHIN_MS && at <= to + LOGGED_WITHIN_MS
    })
    for (const each of fresh) this.unfollowed.add(each)
    return fresh.length > 0
  }

  /** Returns whether operators may have set some terms within a span, although no round around it followed them. */
  #mayBeSet(
    terms: string,
    around: ReadonlySet<string> | null,
    [from, to]: readonly [number, number],
  ): boolean {
    const textOf = (hash: string) => this.#terms.find(hash)?.entry['terms'] ?? null
    const others = [...(around ?? [])].map(textOf)
    const isSet = this.#planned.mayBeSet(textOf(terms), others, from, to)
    if (isSet) this.unfollowed.add(terms)
    return isSet
  }

  /** Returns when a day was committed to. A log that succeeds another one repeats that one's commitments later. */
  #committedAt(day: string, { entry, loggedAt }: { entry: LogEntry; loggedAt: number }): number {
    const isRepeated = this.#isBefore(startOfDay(day) - COMMITTED_AHEAD_MS)
    return isRepeated ? entry.at : loggedAt
  }

  /** Compares the contract of some boxes with those that logged terms name. */
  checkContract(boxes: Parameters<LoggedTerms['checkContract']>[0]): Finding[] {
    return this.#predecessor ? [] : this.#terms.checkContract(boxes)
  }

  /** Returns whether something was logged by the predecessor, so that this log can't be expected to have it. */
  #isBefore(at: number): boolean {
    return this.#predecessor !== null && at < this.#predecessor.at
  }

  /**
   * Adds an entry's part of a round. The first entry counts; a second one of a part, or another end, is wrong. So is a
   * part that comes after a later one.
   */
  #add(id: string, parts: LoggedRound): void {
    const known = this.#rounds.get(id) ?? {}
    const misplaced = PARTS.flatMap((part, place) => {
      if (parts[part] === undefined) return []
      const later = PARTS.slice(place + 1).find((each) => known[each] !== undefined)
      const how = known[part] !== undefined ? 'twice' : later && `only after ${NAMES[later]}`
      if (how === undefined) return []
      return [{ where: `round ${id}`, problem: `${NAMES[part]} is in the public log ${how}` }]
    })
    const findings = [...(known.findings ?? []), ...(parts.findings ?? []), ...misplaced]
    this.#rounds.set(id, { ...parts, ...known, findings })
  }
}

function committedHash(source: PepperSource): string | null {
  return source.kind === 'committed' ? source.pepperHash : null
}

/** The parts of a round that each have an entry, in the order of their entries. */
const PARTS = ['plan', 'bets', 'result'] as const

const NAMES = {
  start: 'its commitment',
  plan: 'its plan',
  bets: 'the root or the number of its bets',
  result: 'its end',
}

/** Returns the hash of some fields; absent ones are as null. */
function hashOf<F extends string>(of: object, fields: readonly F[]): string {
  const values = of as Record<string, unknown>
  const named = fields.map((field) => values[field] ?? null)
  return sha256Hex(canonicalJson(named))
}
