import { DurableObject } from 'cloudflare:workers'
import { answerWithin, retried } from '../src/calls/call.ts'
import { announceTerms } from '../src/calls/log-terms.ts'
import { crashRound, crashStream } from '../src/calls/objects.ts'
import { invariant } from '../src/core/invariant.ts'
import { disclose, type Disclosure } from '../src/crash/disclosure.ts'
import {
  DISCLOSED_ROUNDS,
  HISTORY_LENGTH,
  LONG_HISTORY_LENGTH,
  type RoundResult,
} from '../src/crash/result.ts'
import type { RoundView, Snapshot } from '../src/crash/state.ts'
import type { NewestRoundFacts, TableFacts } from '../src/health/facts.ts'
import { saveEmptyRounds } from '../src/history/rounds.ts'
import { logEvent, logFault } from '../src/log.ts'
import {
  announcedMode,
  CRASH,
  modeAt,
  termsAt,
  type Mode,
  type ModesChange,
} from '../src/operator/modes.ts'
import { AwaitedPlan } from './crash-table/awaited-plan.ts'
import { EndedRounds } from './crash-table/ended-rounds.ts'
import { Alarm } from './kernel/alarm.ts'
import { Clock } from './kernel/clock.ts'
import { migrate } from './kernel/migrations.ts'
import { ModesReplica, TOLD_MODES } from './kernel/modes-replica.ts'
import { objectOf } from './kernel/owner.ts'
import { firstRow } from './kernel/rows.ts'
import { transact } from './kernel/transact.ts'

/** When the table was last read and, while it isn't open, the newest ended round as last shown. */
const TABLES = `
  CREATE TABLE activity (id INTEGER PRIMARY KEY CHECK (id = 1), last_read_at INTEGER NOT NULL) STRICT;
  CREATE TABLE resting (id INTEGER PRIMARY KEY CHECK (id = 1), view TEXT NOT NULL) STRICT;
`

/** The table stops opening rounds when nobody has viewed it for this long. */
const SLEEP_AFTER_MS = 30_000

/** How often a table that opens no round is read. */
const RESTING_MS = 5_000

/** How long a look waits for each answer of a round. All readers wait for the look. */
const ANSWER_MS = 5_000

/** The time of the last view is stored at most this often, so a restart may lose this much of it. */
const READ_RESOLUTION_MS = 10_000

/** A sweep visits at most this many unfinished rounds. */
const SWEEP_BATCH = 50

/** The sequence of rounds: the current round, recent results, and when the next round opens. */
export class CrashTable extends DurableObject<Env> {
  readonly #clock = new Clock()
  readonly #object = objectOf('CrashTable', this.ctx)
  readonly #alarm = new Alarm(this.ctx.storage)
  readonly #sql = this.ctx.storage.sql
  readonly #rounds = new EndedRounds(this.#sql)
  readonly #modes = new ModesReplica(this.#sql, this.#object)
  readonly #awaitedPlan = new AwaitedPlan(this.env)
  #lastReadAt = 0
  /** The view of the newest ended round. After a restart, the round is asked for it once more. */
  #ended: RoundView | null = null
  /** The look at the current round now in progress; concurrent callers share it. */
  #looking: Promise<RoundView> | null = null
  /** Since when no look has found or opened a round; null if the latest one did. */
  #failingSince: number | null = null

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    void ctx.blockConcurrencyWhile(async () => {
      migrate(ctx.storage, [
        this.#rounds.migration,
        { id: 'crash-table', sql: TABLES },
        this.#modes.migration,
      ])
      const { lastReadAt, toldModes } = this.#sql
        .exec<{ lastReadAt: number | null; toldModes: string | null }>(
          `SELECT (SELECT last_read_at FROM activity) AS lastReadAt, ${TOLD_MODES} AS toldModes`,
        )
        .one()
      this.#lastReadAt = lastReadAt ?? 0
      this.#modes.restore(toldModes)
      await this.#alarm.load()
    })
  }

  /**
   * Returns the table's public state, always with an unfinished round or its results: a look opens the next
   * round if needed.
   * @param reader the stream comes back when the results end, so the alarm need not open the next round for it
   */
  async snapshot(reader: 'page' | 'stream' = 'page'): Promise<Snapshot> {
    if (reader === 'page') this.#noteRead()
    const view = await this.#currentRound()
    if (reader === 'page') this.#openAfter(view)
    return {
      ...view,
      mode: this.#announcedMode(),
      history: this.#rounds.history(view, HISTORY_LENGTH),
      recentWins: this.#rounds.winsWith(view),
    }
  }

  /**
   * Takes the modes from Control. A table that isn't open opens no round, so if it has none to show, it opens a
   * last one now. Safe to repeat, in any order.
   */
  async takeModes(changes: readonly ModesChange[]): Promise<void> {
    this.#modes.take(changes)
    if (this.#announcedMode() === 'open') {
      if (changes.length > 0) this.#openAt(changes.at(-1)?.takesEffectAt ?? 0)
      return this.#showMode()
    }
    if (!this.#resting() && !this.#ended) await this.#currentRound()
    if (this.#ended) this.#rest(this.#ended)
    await this.#showMode()
  }

  /** Returns the results of the newest settled rounds, newest first. */
  async newestRounds(): Promise<Snapshot['history']> {
    return this.#rounds.history(await this.#currentRound(), LONG_HISTORY_LENGTH)
  }

  /** Returns the newest settled rounds with bets and the newest voided rounds, with their seeds. */
  async disclosure(): Promise<Disclosure> {
    const current = await retried(async () =>
      crashRound(this.env, this.#rounds.newest() + 1).result(),
    )
    const fresh = current && !this.#rounds.has(current.roundId) ? [current] : []
    const settled = fresh.filter(({ kind, betCount }) => kind === 'settled' && betCount > 0)
    const voided = fresh.filter(({ kind }) => kind === 'voided')
    const known = (where: string) => this.#rounds.results(where, DISCLOSED_ROUNDS)
    return disclose([
      ...[...settled, ...known(`kind = 'settled' AND bet_count > 0`)].slice(0, DISCLOSED_ROUNDS),
      ...[...voided, ...known(`kind = 'voided'`)].slice(0, DISCLOSED_ROUNDS),
    ])
  }

  /**
   * Records that a round has ended. Called by the round; safe to repeat.
   * @param isFinished whether the round has nothing left to do; it erases itself after the answer
   */
  async recordEnd(view: RoundView, isFinished: boolean): Promise<void> {
    invariant(view.result, 'a round is recorded once it has ended')
    const { roundId } = view.plan
    if (roundId > this.#rounds.newest() + 1) {
      // After a restore, a look first records the rounds before it. None below the newest is ever asked again.
      await this.#currentRound()
      invariant(roundId <= this.#rounds.newest() + 1, 'the rounds before it come first')
    }
    this.#record(view, view.result, isFinished)
    const isRead = this.#clock.now() - this.#lastReadAt < SLEEP_AFTER_MS
    if (isRead) this.#openAfter(view)
    // A look may just be asking for this round, and would open an erased one a second time.
    await this.#looking?.catch(() => {})
  }

  /** Returns the number of the newest ended round; 0 before the first. */
  async newestRoundId(): Promise<number> {
    return this.#rounds.newest()
  }

  /** Returns the result of an ended round; null if none has this number. Doesn't count as a look at the table. */
  async endedRound(roundId: number): Promise<RoundResult | null> {
    return this.#rounds.results('round_id = ?', 1, roundId)[0] ?? null
  }

  /** Returns the facts behind its health. Opens no round, and doesn't count as a look at the table. */
  async facts(): Promise<Omit<TableFacts, 'current'>> {
    const { newest } = this.#rounds.recent()
    return {
      rounds: this.#rounds.newest(),
      voided: this.#rounds.count(`kind = 'voided'`),
      unswept: this.#rounds.count('swept = 0'),
      lastReadAt: this.#lastReadAt,
      isOpen: this.#mode() === 'open',
      failingSince: this.#failingSince,
      newest: newest ? factsOf(newest) : null,
      databaseBytes: this.ctx.storage.sql.databaseSize,
    }
  }

  /** Writes the rounds of a range that nobody bet in to the history again. The others do so themselves. */
  async sendToHistory(first: number, last: number): Promise<void> {
    const empty = 'bet_count = 0 AND round_id BETWEEN ? AND ?'
    await saveEmptyRounds(this.env.HISTORY, this.#rounds.results(empty, last, first, last))
  }

  /** Returns the rounds of a range that have bets. */
  async roundsWithBets(first: number, last: number): Promise<number[]> {
    const withBets = 'bet_count > 0 AND round_id BETWEEN ? AND ?'
    return this.#rounds.results(withBets, last, first, last).map(({ roundId }) => roundId)
  }

  /**
   * Advances rounds that nobody is reading: the current one, and those with pending payouts or history. Has the
   * terms in force logged, which plays name even if no round opens.
   */
  async sweep(): Promise<void> {
    const waiting = this.#rounds.unswept(SWEEP_BATCH)
    await Promise.all([
      this.#announceTerms(),
      ...[...waiting, this.#rounds.newest() + 1].map(async (roundId) => {
        try {
          const left = await crashRound(this.env, roundId).sweep()
          // The current round may have ended since, and its row awaits a sweep of its own.
          if (left === 0 && waiting.includes(roundId)) this.#rounds.markSwept(roundId)
        } catch (fault) {
          logFault('round_sweep_failed', fault, { object: this.#object, roundId })
        }
      }),
    ])
  }

  async #announceTerms(): Promise<void> {
    try {
      await announceTerms(this.env, termsAt(this.#modes.changes, this.#clock.now()))
    } catch (fault) {
      logFault('terms_not_logged', fault, { object: this.#object })
    }
  }

  /** Opens the next round after the last results have been shown, unless nobody is viewing the table. */
  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    const now = this.#clock.now()
    await this.#alarm.run(info, now, async () => {
      if (now - this.#lastReadAt >= SLEEP_AFTER_MS) return null
      const { result, restsUntil } = await this.#currentRound()
      return this.#mode() === 'open' ? (restsUntil ?? result?.resultsUntil ?? null) : null
    })
  }

  /** Returns the current round's view. If it has ended, opens the next round, once for all callers. */
  #currentRound(): Promise<RoundView> {
    this.#failingSince ??= this.#clock.now()
    this.#looking ??= this.#look()
      .then((view) => {
        this.#failingSince = null
        return view
      })
      .finally(() => (this.#looking = null))
    return this.#looking
  }

  async #look(): Promise<RoundView> {
    await this.#modes.catchUp(this.env, this.#clock.now())
    for (;;) {
      await this.#recallResults()
      const results = this.#shownResults()
      if (results) return results
      const mayOpen = this.#mode() === 'open' && (await this.#awaitedPlan.sendAgain(this.#ended))
      const resting = mayOpen ? null : await this.#restingView()
      if (resting) return resting
      const setTerms = termsAt(this.#modes.changes, this.#clock.now())
      const round = crashRound(this.env, this.#rounds.newest() + 1)
      const view = await answered(async () => round.open(setTerms))
      if ('kind' in view) {
        this.#recordErased(view)
        continue
      }
      // The round's own call with its end may have overtaken this answer.
      if (this.#ended?.plan.roundId === view.plan.roundId) continue
      this.#awaitedPlan.note(view)
      const hasPassed = view.stage === 'over' || view.stage === 'void'
      if (!hasPassed || !view.result) return view
      this.#record(view, view.result, false)
    }
  }

  /** Returns the view of the newest ended round while its results are shown. Its own object may be erased. */
  #shownResults(): RoundView | null {
    const ended = this.#ended
    const now = this.#clock.now()
    if (!ended?.result || now >= ended.result.resultsUntil) return null
    return { ...ended, stage: 'results', asOf: Math.max(ended.asOf, now) }
  }

  /** After a restart, asks the newest ended round for its view, if its results should still be shown. */
  async #recallResults(): Promise<void> {
    const { newest } = this.#rounds.recent()
    if (this.#ended || !newest || this.#clock.now() >= newest.resultsUntil) return
    // Null if it was erased and has left its memory: then the next round opens early.
    this.#ended = await answered(async () => crashRound(this.env, newest.roundId).view())
  }

  /** Returns the newest ended round's view while the table opens no other; null while a round runs. */
  async #restingView(): Promise<RoundView | null> {
    const running = await answered(async () =>
      crashRound(this.env, this.#rounds.newest() + 1).view(),
    )
    const ended = running ? null : (this.#ended ?? this.#resting())
    const now = this.#clock.now()
    const changesAt = this.#modes.changes.find(({ takesEffectAt }) => takesEffectAt > now)
    const restsUntil = Math.min(now + RESTING_MS, changesAt?.takesEffectAt ?? Infinity)
    return ended && { ...ended, stage: 'results', asOf: Math.max(ended.asOf, now), restsUntil }
  }

  #mode(): Mode {
    return this.#modeAt(this.#clock.now())
  }

  #modeAt(unixMs: number): Mode {
    return modeAt(this.#modes.changes, CRASH, unixMs)
  }

  /** Returns the mode that will hold once all changes have taken effect. */
  #announcedMode(): Mode {
    return announcedMode(this.#modes.changes, CRASH)
  }

  /** Stores the view of an ended round, so that a table that isn't open has something to show after a restart. */
  #rest(view: RoundView): void {
    this.#sql.exec('INSERT OR REPLACE INTO resting (id, view) VALUES (1, ?)', JSON.stringify(view))
  }

  /** Returns the stored view of the newest ended round; null without one. */
  #resting(): RoundView | null {
    const row = firstRow(this.#sql.exec<{ view: string }>('SELECT view FROM resting'))
    const view = row ? (JSON.parse(row.view) as RoundView) : null
    return view?.plan.roundId === this.#rounds.newest() ? view : null
  }

  /** Has the live stream update its viewers, who might otherwise not see the mode until the round ends. */
  async #showMode(): Promise<void> {
    try {
      await retried(async () => crashStream(this.env).lookAgain())
    } catch (fault) {
      logFault('stream_not_told', fault, { object: this.#object })
    }
  }

  /** Makes sure that the next round opens after the results of this one. */
  #openAfter({ result, restsUntil = result?.resultsUntil }: RoundView): void {
    if (restsUntil === undefined) return
    const opensAt = Math.max(restsUntil, this.#clock.now())
    if (this.#modeAt(opensAt) === 'open') this.#openAt(opensAt)
  }

  /** Has the alarm look at the table, which opens a round if someone has viewed it recently. */
  #openAt(unixMs: number): void {
    this.#alarm.wakeBy(unixMs, this.#clock.now())
  }

  #record(view: RoundView, result: RoundResult, isSwept: boolean): void {
    const { roundId } = result
    if (this.#rounds.has(roundId)) {
      if (isSwept) this.#rounds.markSwept(roundId)
      return
    }
    transact(this.ctx.storage, () => {
      this.#rounds.add(result, isSwept)
      this.#rounds.addWins(roundId, view.wins)
    })
    this.#ended = view
    if (this.#announcedMode() !== 'open') this.#rest(view)
  }

  /** Records a round that this table once had, before it was restored to an earlier time. */
  #recordErased(result: RoundResult): void {
    logEvent('erased_round_recorded', { object: this.#object, roundId: result.roundId })
    this.#rounds.add(result, true)
  }

  #noteRead(): void {
    const now = this.#clock.now()
    const before = this.#lastReadAt
    if (now - before < READ_RESOLUTION_MS) return
    this.#lastReadAt = now
    this.#sql.exec('INSERT OR REPLACE INTO activity (id, last_read_at) VALUES (1, ?)', now)
  }
}

/** Makes a call of a look. */
function answered<T>(call: () => Promise<T>): Promise<T> {
  return answerWithin(ANSWER_MS, retried(call))
}

function factsOf({ kind, endedAt, resultsUntil, pepperSource }: RoundResult): NewestRoundFacts {
  const beacon = pepperSource.kind === 'drand-quicknet' ? pepperSource.round : null
  return { kind, endedAt, resultsUntil, beacon }
}
