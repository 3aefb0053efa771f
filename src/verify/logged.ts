import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils'
import { canonicalJson, type Json } from '../core/canonical-json.ts'
import { isoTime } from '../core/utc-day.ts'
import type { Check } from '../fairness/check.ts'
import { commits } from '../fairness/seed.ts'
import type { LogEntry, Logged } from '../transparency/entry.ts'
import type { Breach } from '../transparency/follower.ts'
import { LATENESS_MS, verifyInTime, verifyLogged, type LoggedRound } from './logged-round.ts'
import { verifyTerms } from './logged-terms.ts'

/** A round without a result is broken off if an entry of so much later follows its close. */
const LONGEST_ROUND_MS = 3_600_000

/** What a {@link LogReading} has to keep between two runs, as JSON. */
export interface ReadingState {
  /** The rounds without a result, by number. */
  open: Record<string, LoggedRound>
  /** The commitments whose secret is not disclosed yet: of lootbox days and of batches of boxes. */
  committed: Record<string, Logged>
  /** The terms of play, by their hash. */
  terms: Record<string, Logged>
}

/** When an entry was shown, by the reader's clock, in unix milliseconds. */
export interface Shown {
  /** When a checkpoint without the entry was last shown; null if never. */
  absentAt: number | null
  /** When the entry was read. */
  readAt: number
}

/** Reads the entries of a log in order, and checks each against those before it. */
export class LogReading {
  readonly #open: Map<string, LoggedRound>
  readonly #committed: Map<string, Logged>
  readonly #terms: Map<string, Logged>

  constructor({ open, committed, terms }: ReadingState = { open: {}, committed: {}, terms: {} }) {
    this.#open = new Map(Object.entries(open))
    this.#committed = new Map(Object.entries(committed))
    this.#terms = new Map(Object.entries(terms))
  }

  /** Takes the next entry. Returns what it breaks, and the round that it ends. */
  take(
    logged: Logged,
    { absentAt, readAt }: Shown,
  ): { breach: Breach | null; ended: LoggedRound | null } {
    const { kind } = logged.entry
    const late = datedAhead(logged, readAt) ?? this.#brokenOff(logged)
    if (late) return { breach: late, ended: null }
    if (kind === 'plan') return this.#plan(logged, absentAt)
    if (kind === 'bets' || kind === 'end' || kind === 'void') return this.#round(logged, absentAt)
    return { breach: this.#other(logged), ended: null }
  }

  state(): ReadingState {
    return {
      open: Object.fromEntries(this.#open),
      committed: Object.fromEntries(this.#committed),
      terms: Object.fromEntries(this.#terms),
    }
  }

  #plan(plan: Logged, absentAt: number | null) {
    const round = { plan, bets: null, result: null }
    this.#open.set(plan.entry.id, round)
    const terms = this.#terms.get(textOf(plan.entry['terms'])) ?? null
    const checks = checksOf(round, plan, absentAt, () => verifyTerms(plan, terms))
    return { breach: breachOf(round, checks, { terms }), ended: null }
  }

  #round(logged: Logged, absentAt: number | null) {
    const { kind, id } = logged.entry
    const known = this.#open.get(id)
    if (!known) {
      const finding = `entry ${logged.index} is the ${kind} of round ${id}, which has no plan or has ended`
      const breach = {
        claim: 'each round is planned before it is played',
        finding,
        evidence: { logged },
      }
      return { breach, ended: null }
    }
    const round = kind === 'bets' ? { ...known, bets: logged } : { ...known, result: logged }
    if (kind === 'bets') this.#open.set(id, round)
    else this.#open.delete(id)
    return {
      breach: breachOf(round, checksOf(round, logged, absentAt)),
      ended: round.result ? round : null,
    }
  }

  #other(logged: Logged): Breach | null {
    const { kind, id, seed, seedHash, pepper, pepperHash, terms } = logged.entry
    if (kind === 'seeds') return this.#secret(logged, seedHash, seed)
    if (kind === 'batch') return this.#secret(logged, pepperHash, pepper)
    if (kind !== 'terms') return null
    this.#terms.set(id, logged)
    const hash = bytesToHex(sha256(utf8ToBytes(canonicalJson(terms ?? null))))
    return failed({ claim: 'terms are named by their sha256', holds: hash === id }, { logged })
  }

  /** Takes a commitment, or the secret that was committed to. */
  #secret(logged: Logged, hash: Json | undefined, secret: Json | undefined): Breach | null {
    const { kind, id } = logged.entry
    const name = `${kind} ${id.split(':', 1)[0]}`
    if (hash !== undefined) {
      this.#committed.set(name, logged)
      return null
    }
    const committed = this.#committed.get(name)
    this.#committed.delete(name)
    const { seedHash, pepperHash }: Partial<LogEntry> = committed?.entry ?? {}
    const holds = commits(textOf(seedHash ?? pepperHash), textOf(secret))
    return failed(
      { claim: `the secret of ${name} matches its logged hash`, holds },
      { committed, logged },
    )
  }

  /** The oldest open round, if the log has gone on for long without its result. */
  #brokenOff(logged: Logged): Breach | null {
    for (const [id, round] of this.#open) {
      const closedAt = Number(round.plan.entry['betsCloseAt'])
      if (logged.entry.at <= closedAt + LONGEST_ROUND_MS) return null
      if (logged.entry.id === id) return null
      const claim = 'each planned round ends or is voided'
      const finding = `round ${id} has done neither an hour after its bets closed`
      return { claim, finding, evidence: { round, later: logged } }
    }
    return null
  }
}

function failed(check: Check, evidence: object): Breach | null {
  return check.holds ? null : { claim: check.claim, finding: 'it does not', evidence }
}

/** The breach of an entry from the future: what it tells of had not happened yet. */
function datedAhead(logged: Logged, readAt: number): Breach | null {
  const { at } = logged.entry
  if (at < readAt + LATENESS_MS) return null
  const claim = 'no entry is dated later than it is shown'
  const finding = `entry ${logged.index} has the time ${isoTime(at)}, and was read at ${isoTime(readAt)} by your clock`
  return { claim, finding, evidence: { logged, readAt } }
}

/** Checks a round's entries. Entries without the fields of their kind fail, too. */
function checksOf(
  round: LoggedRound,
  newest: Logged,
  absentAt: number | null,
  others: () => Check[] = () => [],
): Check[] {
  try {
    const inTime = absentAt === null ? [] : verifyInTime(round, newest, absentAt)
    return [...verifyLogged(round), ...inTime, ...others()]
  } catch {
    return [{ claim: "a round's entries have the published form", holds: false }]
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** Returns the breach of the first check of a round that fails, or null. */
export function breachOf(
  round: LoggedRound,
  checks: Check[],
  evidence: object = {},
): Breach | null {
  const wrong = checks.filter(({ holds }) => !holds)
  const [first] = wrong
  if (!first) return null
  const finding = `not so in round ${round.plan.entry.id}${
    wrong.length > 1
      ? `, nor: ${wrong
          .slice(1)
          .map(({ claim }) => claim)
          .join('; ')}`
      : ''
  }`
  return { claim: first.claim, finding, evidence: { round, ...evidence } }
}
