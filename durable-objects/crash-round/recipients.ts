import { answerWithin, retried } from '../../src/calls/call.ts'
import { announceTerms } from '../../src/calls/log-terms.ts'
import { crashTable, ledger } from '../../src/calls/objects.ts'
import { appendToLog } from '../../src/calls/public-log.ts'
import { loadConfig } from '../../src/config/load.ts'
import { invariant } from '../../src/core/invariant.ts'
import { isRefusal } from '../../src/core/refusal.ts'
import type { Bet } from '../../src/crash/bet.ts'
import { betsEntry, endEntry, planEntry } from '../../src/crash/log-entries.ts'
import type { RoundResult } from '../../src/crash/result.ts'
import type { Round } from '../../src/crash/round.ts'
import { saveRound } from '../../src/history/rounds.ts'
import { isSameEntry, type LogEntry } from '../../src/transparency/entry.ts'
import { HISTORY_MS, loggedRound } from './erased.ts'
import type { Notice, Notices } from './notices.ts'

/** The recipients of a round's news, besides the ledgers of its bets. */
export const PLAN = 'log of the plan'
const BETS = 'log of the bets'
const END = 'log of the end'
const HISTORY = 'history'
const TABLE = 'table'

/** Delivers a round's notices. Every delivery is safe to repeat. */
export class Recipients {
  readonly #env: Env
  readonly #round: () => Round
  readonly #now: () => number
  readonly #notices: Notices
  /** The result of an earlier play of the round, if the public log has another plan of it, and its end. */
  played: RoundResult | null = null
  /** Deliveries in progress or done, with whether they succeeded. */
  readonly #sent = new Map<string, Promise<boolean>>()

  constructor(env: Env, round: () => Round, now: () => number, notices: Notices) {
    this.#env = env
    this.#round = round
    this.#now = now
    this.#notices = notices
  }

  /** The recipients of each round's plan and bets. Empty without a public log. */
  get #ofPlan(): string[] {
    return loadConfig(this.#env).log ? [PLAN, BETS] : []
  }

  /** The recipients of each round's end. The table comes last, because it learns whether the others have it. */
  get ofEnd(): string[] {
    return loadConfig(this.#env).log ? [HISTORY, END, TABLE] : [HISTORY, TABLE]
  }

  /** The recipients that the table waits for. */
  get #others(): string[] {
    return [...this.#ofPlan, ...this.ofEnd].filter((recipient) => recipient !== TABLE)
  }

  /** Returns every notice of a round that may not have been sent. */
  allOf({ record, bets }: Round): Notice[] {
    const { status, plan } = record
    const decided = bets.filter(({ cashout }) => status === 'voided' || cashout !== null)
    const due = [
      ...decided.map(({ betId }) => betId),
      ...(status === 'live' ? [] : this.ofEnd),
      ...this.#ofPlan,
    ]
    const now = this.#now()
    return due.map((recipient) => [recipient, recipient === BETS ? plan.betsCloseAt : now, 0])
  }

  async notify(recipient: string): Promise<void> {
    if (recipient === TABLE) return this.#tellTable()
    const bet = this.#round().bet(recipient)
    if (bet) return this.#settle(bet)
    const sent = this.#send(recipient)
    this.#sent.set(
      recipient,
      sent.then(
        () => true,
        () => false,
      ),
    )
    return sent
  }

  #send(recipient: string): Promise<void> {
    switch (recipient) {
      case PLAN:
        return this.#log([], ({ record }) => planEntry(record.plan))
      case BETS:
        return this.#log([PLAN], ({ record, fixedBets }) => betsEntry(record.plan, fixedBets))
      case END:
        return this.#log([PLAN, BETS], (round) => endEntry(resultOf(round), round.fixedBets))
      case HISTORY:
        return saveRound(this.#env.HISTORY, this.#round())
      default:
        throw new Error(`a round does not know its recipient ${recipient}`)
    }
  }

  /** @param earlier the recipients whose entries the log must have first */
  async #log(earlier: readonly string[], entryOf: (round: Round) => LogEntry): Promise<void> {
    for (const each of earlier) {
      const isLogged = await this.#notices.send(each, this.#now())
      invariant(isLogged, `the ${each} comes first`)
    }
    await announceTerms(this.#env, this.#round().record.setTerms)
    const entry = entryOf(this.#round())
    const logged = await appendToLog(this.#env, entry)
    // A round must not continue with a plan other than the published one.
    const isSame = isSameEntry(logged.entry, entry)
    if (!isSame) this.played = await loggedRound(this.#env, this.#round().record.plan.roundId)
    invariant(isSame, `the log has another ${entry.kind} of this round`)
  }

  /** Reports the end to the table, and whether the round has nothing left to do. */
  async #tellTable(): Promise<void> {
    const { betCount } = this.#round()
    const areTold = async () =>
      (await Promise.all(this.#others.map((each) => this.#waitFor(each)))).every(Boolean)
    const isFinished = betCount === 0 && (await areTold())
    return crashTable(this.#env).recordEnd(this.#round().view(this.#now()), isFinished)
  }

  /** Waits for a delivery in progress, but not for a slow one. @returns whether the recipient has its notice */
  async #waitFor(recipient: string): Promise<boolean> {
    if (!this.#notices.has(recipient)) return true
    const sent = this.#sent.get(recipient)
    return sent !== undefined && answerWithin(HISTORY_MS, sent).catch(() => false)
  }

  async #settle({ betId, wallet }: Bet): Promise<void> {
    const outcome = this.#round().outcome(betId)
    invariant(outcome.kind !== 'live', 'only an ended bet is reported')
    const settled = await retried(async () => ledger(this.#env, wallet).settle(betId, outcome))
    if (isRefusal(settled)) throw new Error(settled.error.message)
  }
}

function resultOf(round: Round) {
  const result = round.result()
  invariant(result, 'only an ended round is reported')
  return result
}
