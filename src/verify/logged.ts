import type { Json } from '../core/canonical-json.ts'
import { startOfDay } from '../core/utc-day.ts'
import type { Check } from '../fairness/check.ts'
import { commits } from '../fairness/seed.ts'
import { disclosedAt } from '../lootbox/disclosure.ts'
import { seedEntryId, seedHashEntryId } from '../lootbox/log-entries.ts'
import { isNextEpoch } from '../solvency/age.ts'
import type { LogEntry, LoggedEntry } from '../transparency/entry.ts'
import type { Breach } from '../transparency/follower.ts'
import { predecessorOf } from '../transparency/predecessor.ts'
import { overdue, type AwaitedEntry } from './awaited.ts'
import { datedAhead } from './entry-times.ts'
import { LoggedBatches } from './logged-batches.ts'
import { breachOf, checksOf } from './logged-breach.ts'
import { isNamedByThumbprint } from './logged-keys.ts'
import {
  isUnseenInTime,
  noticeOfLateBets,
  verifyInTime,
  verifyLogged,
  type LoggedRound,
  type EntrySighting,
  type TableSeen,
} from './logged-round.ts'
import { committedIn, disclosedIn, LoggedSecrets } from './logged-secrets.ts'
import {
  COMMITTED_AHEAD_MS,
  judgeCommitment,
  offersLootbox,
  SeedDeadlines,
} from './logged-seeds.ts'
import { areNamedByHash, verifyTerms } from './logged-terms.ts'

/**
 * A round has its result this long after its close, its plan this long after that of a later round, and a lootbox day
 * its seed this long after it is due, and its commitment this long after a round shows that it is due.
 */
const DUE_MS = 3_600_000

/** A log whose round numbers jump by more has left rounds out. */
const MAX_MISSING = 1_000

/** Keeps a table that invents rounds from filling the memory. This many real rounds take hours. */
const MAX_SHOWN = 1_000

/** The state that a {@link LogReading} has to keep between two runs, as JSON. */
export interface ReadingState {
  /** The rounds without a result, by number. */
  open: Record<string, LoggedRound>
  /** The commitments whose secret is not disclosed yet: of lootbox days and of batches of boxes. */
  committed: Record<string, LoggedEntry>
  /** The terms of play, by their hash. */
  terms: Record<string, LoggedEntry>
  /** When the peppers of batches are missed again, by batch, in unix milliseconds. */
  missedAt: Record<string, number>
  /** The entries that the log owes, by the number of the round or the id of a seed's entry. */
  awaited: Record<string, AwaitedEntry>
  /** The highest number of a planned round; null before the first. */
  newestRound: number | null
  /** The time of the log's first entry; null before it. */
  beganAt: number | null
  /** Where the log begins if it succeeds another one; null if it is a site's first. */
  succeeds: Succession | null
  /** The lootbox days that must be committed to before they begin, as days since 1970-01-01. */
  lootboxDays: number[]
  /** The lootbox days that are committed to, in the same form. */
  committedDays: number[]
  /** The newest count of the house's debts; null before the first. */
  counted: DebtCount | null
  /** The table's view of rounds whose plans the log does not have, by number. */
  shown: Record<string, TableSeen>
  /** When batches of boxes were logged, by the ids of their numbers. */
  batches: Record<string, number>
}

/** A count of the house's debts: its epoch, and when it was made, in unix milliseconds. */
interface DebtCount {
  epoch: number
  at: number
}

/** The start of a log that succeeds another one. Anything earlier can't be checked in it. */
interface Succession {
  /** When it began, in unix milliseconds. */
  at: number
  /** The first round that it has planned; null before that. */
  firstRound: number | null
}

const NOTHING: ReadingState = {
  open: {},
  committed: {},
  terms: {},
  awaited: {},
  newestRound: null,
  missedAt: {},
  beganAt: null,
  succeeds: null,
  lootboxDays: [],
  committedDays: [],
  counted: null,
  shown: {},
  batches: {},
}

/** The findings on an entry. */
interface EntryVerdict {
  /** The promise that it breaks. */
  breach: Breach | null
  /** The round that it ends. */
  ended: LoggedRound | null
  /** A notice for the reader, which proves nothing. */
  notice: string | null
  /** Whether it has bets that the reader had no sign of before their beacon. */
  isUnseen?: boolean
}

const SAME_HOUR =
  'This is normal in local play and after a restore. Otherwise, the house may be showing different players different counts.'

const NOTHING_SHOWN: EntryVerdict = { breach: null, ended: null, notice: null }

/** Reads the entries of a log in order, and checks each against those before it. */
export class LogReading {
  readonly #open: Map<string, LoggedRound>
  readonly #secrets: LoggedSecrets
  readonly #terms: Map<string, LoggedEntry>
  readonly #awaited: Map<string, AwaitedEntry>
  #newestRound: number | null
  #beganAt: number | null
  #succeeds: Succession | null
  #counted: DebtCount | null
  readonly #seedDeadlines: SeedDeadlines
  readonly #shown: Map<string, TableSeen>
  readonly #batches: LoggedBatches

  constructor(state = NOTHING) {
    const { open, committed, terms, awaited, newestRound, beganAt, succeeds, counted } = state
    this.#open = new Map(Object.entries(open))
    this.#secrets = new LoggedSecrets(committed, state.missedAt)
    this.#terms = new Map(Object.entries(terms))
    this.#awaited = new Map(Object.entries(awaited))
    this.#newestRound = newestRound
    this.#beganAt = beganAt
    this.#succeeds = succeeds
    this.#counted = counted
    this.#seedDeadlines = new SeedDeadlines(state)
    this.#shown = new Map(Object.entries(state.shown))
    this.#batches = new LoggedBatches(state.batches)
  }

  /** Takes the next entry. */
  take(logged: LoggedEntry, shown: EntrySighting): EntryVerdict {
    const { kind, at } = logged.entry
    if (logged.index === 0) this.#beganAt = at
    this.#seedDeadlines.take(logged)
    const late = datedAhead(logged, shown.readAt) ?? overdue(this.#awaited, logged, shown.readAt)
    if (late) return { ...NOTHING_SHOWN, breach: late }
    if (kind === 'plan') return this.#plan(logged, shown.absentAt)
    if (kind === 'bets' || kind === 'end' || kind === 'void') return this.#round(logged, shown)
    if (kind === 'solvency') return { ...NOTHING_SHOWN, ...this.#count(logged) }
    if (kind === 'seeds' && 'seedHash' in logged.entry) return this.#commitment(logged, shown)
    return { ...NOTHING_SHOWN, breach: this.#other(logged) }
  }

  /** Returns a round that has not ended; null if the log has none with this number. */
  open(roundId: number): LoggedRound | null {
    return this.#open.get(String(roundId)) ?? null
  }

  /** Returns the newest round if it has not ended. */
  newest(): LoggedRound | null {
    return this.#newestRound === null ? null : this.open(this.#newestRound)
  }

  /** When the log began, in unix milliseconds; null if no entry tells. */
  get beganAt(): number | null {
    return this.#beganAt
  }

  /** Returns whether the log has planned this round, or a later one and owes no plan of this one. */
  hasReached(roundId: number): boolean {
    if (this.#newestRound === null || roundId > this.#newestRound) return false
    // A plan that is numbered ahead must not stand for those that it skips.
    return this.#awaited.get(String(roundId))?.what !== 'plan'
  }

  /** Notes the table's view of the bets of a closed round, while the log does not have them or its plan. */
  seeTable(roundId: number, seen: TableSeen): void {
    const round = this.open(roundId)
    if (round && !round.bets) this.#open.set(String(roundId), { ...round, table: seen })
    if (this.hasReached(roundId) || this.#shown.size >= MAX_SHOWN) return
    this.#shown.set(String(roundId), this.#shown.get(String(roundId)) ?? seen)
  }

  /** Returns notices of entries that the log has lacked for long. @param now in unix milliseconds */
  missing(now: number): string[] {
    return this.#secrets.missedPeppers(now)
  }

  state(): ReadingState {
    return {
      open: Object.fromEntries(this.#open),
      ...this.#secrets.stored(),
      terms: Object.fromEntries(this.#terms),
      awaited: Object.fromEntries(this.#awaited),
      newestRound: this.#newestRound,
      beganAt: this.#beganAt,
      succeeds: this.#succeeds,
      counted: this.#counted,
      ...this.#seedDeadlines.stored(),
      shown: Object.fromEntries(this.#shown),
      batches: this.#batches.stored(),
    }
  }

  #plan(plan: LoggedEntry, absentAt: number | null): EntryVerdict {
    const { id } = plan.entry
    const table = this.#shown.get(id)
    this.#shown.delete(id)
    const round = { plan, absentAt, bets: null, result: null, ...(table && { table }) }
    if (this.#succeeds) this.#succeeds.firstRound ??= Number(id)
    this.#open.set(id, round)
    this.#awaited.set(id, {
      what: 'result',
      dueAt: Number(plan.entry['betsCloseAt']) + DUE_MS,
      lateSince: null,
    })
    const terms = this.#terms.get(textOf(plan.entry['terms'])) ?? null
    this.#seedDeadlines.takePlan(plan, terms)
    for (const day of this.#seedDeadlines.lacking()) this.#awaitCommitment(day, plan.entry.at)
    const checks = checksOf(() => [...verifyLogged(round), ...verifyTerms(plan, terms)])
    const breach = this.#skipped(plan) ?? breachOf(round, checks, { terms })
    return { ...NOTHING_SHOWN, breach }
  }

  #round(logged: LoggedEntry, shown: EntrySighting): EntryVerdict {
    const { kind, id } = logged.entry
    const known = this.#open.get(id)
    if (!known && this.#isBeforeLog(Number(id))) return NOTHING_SHOWN
    if (!known) {
      const finding = `entry ${logged.index} is the ${kind} of round ${id}, which has no plan or has ended`
      const breach = {
        claim: 'each round is planned before it is played',
        finding,
        evidence: { logged },
      }
      return { ...NOTHING_SHOWN, breach }
    }
    const round = kind === 'bets' ? { ...known, bets: logged } : { ...known, result: logged }
    if (kind === 'bets') this.#open.set(id, round)
    else {
      this.#open.delete(id)
      this.#awaited.delete(id)
    }
    const inTime = () => (kind === 'bets' ? verifyInTime(round, logged, shown) : [])
    const checks = checksOf(() => [...verifyLogged(round), ...inTime()])
    const breach = breachOf(round, checks)
    const ended = round.result ? round : null
    if (kind !== 'bets' || breach) return { ...NOTHING_SHOWN, breach, ended }
    const notice = noticeOfLateBets(round, logged, shown)
    return { breach, ended, notice, isUnseen: isUnseenInTime(round, logged, shown) }
  }

  #other(logged: LoggedEntry): Breach | null {
    const { kind, id, seed, pepper, pepperHash } = logged.entry
    if (kind === 'seeds') return this.#secret(logged, kind, seed)
    const name = kind === 'batch' ? this.#batches.take(logged, [...this.#terms.values()]) : null
    if (name && !name.holds && !this.#succeeds) return failed(name, { logged })
    if (kind === 'batch' && (pepperHash === undefined || disclosedIn(kind, id) !== null))
      return this.#secret(logged, kind, pepper)
    if (kind === 'batch') this.#secrets.commit(logged)
    if (kind === 'log') return this.#begin(logged)
    if (kind === 'key') {
      const holds = isNamedByThumbprint(logged.entry)
      return failed(
        { claim: 'each key of receipts has its thumbprint as its id', holds },
        { logged },
      )
    }
    if (kind !== 'terms') return null
    this.#terms.set(id, logged)
    const holds = areNamedByHash(logged.entry)
    return failed({ claim: 'terms are named by their sha256', holds }, { logged })
  }

  /** Takes a count. One that is left out, or made right after another, could be meant for other players. */
  #count(logged: LoggedEntry): Pick<EntryVerdict, 'breach' | 'notice'> {
    const { id, at } = logged.entry
    const before = this.#counted
    this.#counted = { epoch: Number(id), at }
    const holds = !before || (Number(id) === before.epoch + 1 && at > before.at)
    const claim = 'the counts of what the house owes follow each other, one by one'
    const isAnother = before !== null && !isNextEpoch(before.at, at)
    return {
      breach: failed({ claim, holds }, { before, logged }),
      notice: isAnother
        ? `Count ${id} is of the same hour as the one before it. ${SAME_HOUR}`
        : null,
    }
  }

  /** Takes the entry that begins a log which succeeds another one. */
  #begin(logged: LoggedEntry): Breach | null {
    const { index, entry } = logged
    const holds = index === 0
    if (holds) this.#succeeds = { at: predecessorOf(entry)?.at ?? 0, firstRound: null }
    return failed({ claim: 'only the first entry of a log names a predecessor', holds }, { logged })
  }

  /** Returns whether a round was planned in the log before this one. */
  #isBeforeLog(roundId: number): boolean {
    if (!this.#succeeds) return false
    const { firstRound } = this.#succeeds
    return firstRound === null || roundId < firstRound
  }

  /** Returns whether a seed of a lootbox day may have been committed to in the log before this one. */
  #isCommittedBefore(day: string): boolean {
    return this.#succeeds !== null && startOfDay(day) <= this.#succeeds.at + COMMITTED_AHEAD_MS
  }

  /** Takes the commitment to a lootbox day. */
  #commitment(logged: LoggedEntry, { absentAt }: EntrySighting): EntryVerdict {
    const day = this.#secrets.commit(logged)
    this.#awaitSeed(logged.entry)
    if (day === null || this.#isCommittedBefore(day)) return NOTHING_SHOWN
    const dueAt = this.#seedDeadlines.of(day)
    const isOffered = [...this.#terms.values()].some(
      (terms) => offersLootbox(terms) && terms.entry.at < startOfDay(day),
    )
    const judged = judgeCommitment({ day, commitment: logged, dueAt, isOffered, absentAt })
    return { ...NOTHING_SHOWN, ...judged }
  }

  /** Awaits a commitment that a lootbox day lacks. */
  #awaitCommitment(day: string, plannedAt: number): void {
    const id = seedHashEntryId(day)
    if (this.#awaited.has(id)) return
    this.#awaited.set(id, { what: 'commitment', dueAt: plannedAt + DUE_MS, lateSince: null })
  }

  /** Awaits the seed of a lootbox day that is committed to. */
  #awaitSeed({ kind, id }: LogEntry): void {
    const day = kind === 'seeds' ? committedIn(kind, id) : null
    if (day === null) return
    this.#awaited.delete(id)
    const seedId = seedEntryId(day)
    if (this.#awaited.has(seedId)) return
    const dueAt = disclosedAt(day) + DUE_MS
    this.#awaited.set(seedId, { what: 'seed', dueAt, lateSince: null })
  }

  /** Takes the secret that was committed to. */
  #secret(logged: LoggedEntry, kind: 'seeds' | 'batch', secret: Json | undefined): Breach | null {
    const { id } = logged.entry
    const of = disclosedIn(kind, id)
    if (kind === 'seeds') this.#awaited.delete(id)
    const committed = of === null ? undefined : this.#secrets.disclose(kind, of)
    if (of !== null && !committed && kind === 'seeds' && this.#isCommittedBefore(of)) return null
    const { seedHash, pepperHash }: Partial<LogEntry> = committed?.entry ?? {}
    const holds = commits(textOf(seedHash ?? pepperHash), textOf(secret))
    const claim = `the secret of ${kind} ${of ?? id} matches its logged hash`
    return failed({ claim, holds }, { committed, logged })
  }

  /** Awaits the plans of rounds that a plan has skipped. Returns a breach if they are too many. */
  #skipped(plan: LoggedEntry): Breach | null {
    const roundId = Number(plan.entry.id)
    const claim = 'rounds are numbered without gaps'
    if (!Number.isSafeInteger(roundId) || String(roundId) !== plan.entry.id) {
      return { claim, finding: `a round has the number ${plan.entry.id}`, evidence: { plan } }
    }
    const before = this.#newestRound ?? roundId
    this.#newestRound = Math.max(before, roundId)
    if (roundId - before > MAX_MISSING) {
      const finding = `round ${roundId} follows round ${before}`
      return { claim, finding, evidence: { plan } }
    }
    const dueAt = plan.entry.at + DUE_MS
    for (let id = before + 1; id < roundId; id++) {
      this.#awaited.set(String(id), { what: 'plan', dueAt, lateSince: null })
    }
    return null
  }
}

function failed(check: Check, evidence: object): Breach | null {
  return check.holds ? null : { claim: check.claim, finding: 'it does not', evidence }
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
