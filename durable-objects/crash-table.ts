import { DurableObject } from 'cloudflare:workers'
import { invariant } from '../src/core/invariant.ts'
import { disclose, type Disclosure } from '../src/crash/disclosure.ts'
import {
  DISCLOSED_ROUNDS,
  HISTORY_LENGTH,
  LONG_HISTORY_LENGTH,
  RECENT_WINS_LENGTH,
  type RoundResult,
  type Win,
} from '../src/crash/result.ts'
import type { RoundView, Snapshot } from '../src/crash/state.ts'
import { saveEmptyRounds } from '../src/history/rounds.ts'
import { logEvent, logFault } from '../src/log.ts'
import { crashRound, retried } from '../src/objects.ts'
import { Alarm } from './kernel/alarm.ts'
import { Clock } from './kernel/clock.ts'
import { migrate } from './kernel/migrations.ts'
import { transact } from './kernel/transact.ts'

/**
 * `rounds` holds the result of every ended round, permanently: a round that nobody bet in keeps none itself.
 * The current round is the one after the newest. `swept` is set once none of a round's messages wait.
 */
const TABLES = `
  CREATE TABLE rounds (
    round_id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    bet_count INTEGER NOT NULL,
    result TEXT NOT NULL,
    swept INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX rounds_with_bets ON rounds (round_id) WHERE bet_count > 0;
  CREATE INDEX rounds_voided ON rounds (round_id) WHERE kind = 'voided';
  CREATE INDEX rounds_unswept ON rounds (round_id) WHERE swept = 0;
  CREATE TABLE wins (
    round_id INTEGER NOT NULL,
    at INTEGER NOT NULL,
    win TEXT NOT NULL
  ) STRICT;
  CREATE TABLE activity (id INTEGER PRIMARY KEY CHECK (id = 1), last_read_at INTEGER NOT NULL) STRICT;
`

/** The table stops opening rounds when nobody has viewed it for this long. */
const SLEEP_AFTER_MS = 30_000

/** The time of the last view is stored at most this often, so a restart may lose this much of it. */
const READ_RESOLUTION_MS = 10_000

/** A sweep visits at most this many unfinished rounds, chosen at random so stuck ones don't block others. */
const SWEEP_BATCH = 50

/** The sequence of rounds: the current round, recent results, and when the next round opens. */
export class CrashTable extends DurableObject<Env> {
  readonly #clock = new Clock()
  readonly #alarm = new Alarm(this.ctx.storage)
  readonly #sql = this.ctx.storage.sql
  #lastReadAt = 0
  /** The view of the newest ended round. After a restart, the round is asked for it once more. */
  #ended: RoundView | null = null
  /** The look at the current round now in progress; concurrent callers share it. */
  #looking: Promise<RoundView> | null = null

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    void ctx.blockConcurrencyWhile(async () => {
      migrate(ctx.storage, [{ id: 'crash-table', sql: TABLES }])
      const [activity] = this.#sql
        .exec<{ last_read_at: number }>('SELECT last_read_at FROM activity')
        .toArray()
      this.#lastReadAt = activity?.last_read_at ?? 0
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
    if (reader === 'page' && view.result) this.#openAfter(view.result)
    return {
      ...view,
      history: this.#history(view, HISTORY_LENGTH),
      recentWins: this.#recentWins(view),
    }
  }

  /** Returns the results of the newest settled rounds, newest first. */
  async newestRounds(): Promise<Snapshot['history']> {
    return this.#history(await this.#currentRound(), LONG_HISTORY_LENGTH)
  }

  /** Returns the newest settled rounds with bets and the newest voided rounds, with their seeds. */
  async disclosure(): Promise<Disclosure> {
    const current = await retried(async () =>
      crashRound(this.env, this.#newestEnded() + 1).result(),
    )
    const fresh = current && !this.#isRecorded(current.roundId) ? [current] : []
    const isOf = (kind: RoundResult['kind']) => fresh.filter((result) => result.kind === kind)
    return disclose([
      ...isOf('settled').filter(({ betCount }) => betCount > 0),
      ...this.#results(`kind = 'settled' AND bet_count > 0`, DISCLOSED_ROUNDS),
      ...isOf('voided'),
      ...this.#results(`kind = 'voided'`, DISCLOSED_ROUNDS),
    ])
  }

  /**
   * Records that a round has ended. Called by the round; safe to repeat.
   * @param isFinished whether the round has nothing left to do; it erases itself after the answer
   */
  async recordEnd(view: RoundView, isFinished: boolean): Promise<void> {
    invariant(view.result, 'a round is recorded once it has ended')
    this.#record(view, view.result, isFinished)
    const isRead = this.#clock.now() - this.#lastReadAt < SLEEP_AFTER_MS
    if (isRead) this.#openAfter(view.result)
    // A look may just be asking for this round, and would open an erased one a second time.
    await this.#looking?.catch(() => {})
  }

  /** Returns the number of the newest ended round; 0 before the first. */
  async newestRoundId(): Promise<number> {
    return this.#newestEnded()
  }

  /** Writes the rounds of a range that nobody bet in to the history again. The others do so themselves. */
  async sendToHistory(first: number, last: number): Promise<void> {
    const empty = 'bet_count = 0 AND round_id BETWEEN ? AND ?'
    await saveEmptyRounds(this.env.HISTORY, this.#results(empty, last, first, last))
  }

  /** Returns the rounds of a range that have bets. */
  async roundsWithBets(first: number, last: number): Promise<number[]> {
    const withBets = 'bet_count > 0 AND round_id BETWEEN ? AND ?'
    return this.#results(withBets, last, first, last).map(({ roundId }) => roundId)
  }

  /** Advances rounds that nobody is reading: the current one, and those with pending payouts or history. */
  async sweep(): Promise<void> {
    const waiting = this.#sql
      .exec<{ round_id: number }>(
        'SELECT round_id FROM rounds WHERE swept = 0 ORDER BY random() LIMIT ?',
        SWEEP_BATCH,
      )
      .toArray()
      .map(({ round_id: roundId }) => roundId)
    await Promise.all(
      [...waiting, this.#newestEnded() + 1].map(async (roundId) => {
        try {
          const left = await crashRound(this.env, roundId).sweep()
          if (left === 0) this.#markSwept(roundId)
        } catch (fault) {
          logFault('round_sweep_failed', fault, { roundId })
        }
      }),
    )
  }

  /** Opens the next round after the last results have been shown, unless nobody is viewing the table. */
  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    const now = this.#clock.now()
    await this.#alarm.run(info, now, async () => {
      if (now - this.#lastReadAt >= SLEEP_AFTER_MS) return null
      const { result } = await this.#currentRound()
      return result?.resultsUntil ?? null
    })
  }

  /** Returns the current round's view. If it has ended, opens the next round, once for all callers. */
  #currentRound(): Promise<RoundView> {
    this.#looking ??= this.#look().finally(() => (this.#looking = null))
    return this.#looking
  }

  async #look(): Promise<RoundView> {
    for (;;) {
      await this.#recallResults()
      const results = this.#shownResults()
      if (results) return results
      const view = await retried(async () => crashRound(this.env, this.#newestEnded() + 1).open())
      if ('kind' in view) {
        this.#recordErased(view)
        continue
      }
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
    const [newest] = this.#ended ? [] : this.#results('1', 1)
    if (!newest || this.#clock.now() >= newest.resultsUntil) return
    // Null if it was erased and has left its memory: then the next round opens early.
    this.#ended = await retried(async () => crashRound(this.env, newest.roundId).view())
  }

  /** Makes sure that the next round opens after the results of this one. */
  #openAfter({ resultsUntil }: RoundResult): void {
    this.#alarm.wakeBy(resultsUntil, this.#clock.now())
  }

  #newestEnded(): number {
    return (
      this.#sql.exec<{ id: number | null }>('SELECT max(round_id) AS id FROM rounds').one().id ?? 0
    )
  }

  #isRecorded(roundId: number): boolean {
    return roundId <= this.#newestEnded()
  }

  #record(view: RoundView, result: RoundResult, isSwept: boolean): void {
    const { roundId } = result
    if (this.#isRecorded(roundId)) {
      if (isSwept) this.#markSwept(roundId)
      return
    }
    transact(this.ctx.storage, () => {
      this.#insert(result, isSwept)
      for (const win of view.wins) {
        this.#sql.exec(
          'INSERT INTO wins (round_id, at, win) VALUES (?, ?, ?)',
          ...[roundId, win.at, JSON.stringify(win)],
        )
      }
      if (view.wins.length > 0) {
        this.#sql.exec(
          'DELETE FROM wins WHERE rowid NOT IN (SELECT rowid FROM wins ORDER BY at DESC LIMIT ?)',
          RECENT_WINS_LENGTH,
        )
      }
    })
    this.#ended = view
  }

  /** Records a round that this table once had, before it was restored to an earlier time. */
  #recordErased(result: RoundResult): void {
    logEvent('erased_round_recorded', { roundId: result.roundId })
    this.#insert(result, true)
  }

  #insert(result: RoundResult, isSwept: boolean): void {
    const { roundId, kind, betCount } = result
    this.#sql.exec(
      'INSERT INTO rounds (round_id, kind, bet_count, result, swept) VALUES (?, ?, ?, ?, ?)',
      ...[roundId, kind, betCount, JSON.stringify(result), isSwept ? 1 : 0],
    )
  }

  #markSwept(roundId: number): void {
    this.#sql.exec('UPDATE rounds SET swept = 1 WHERE round_id = ? AND swept = 0', roundId)
  }

  #history({ result }: RoundView, length: number): Snapshot['history'] {
    const fresh = result && !this.#isRecorded(result.roundId) ? [result] : []
    return [...fresh, ...this.#results(`kind = 'settled'`, length)]
      .filter((ended) => ended.kind === 'settled')
      .slice(0, length)
      .map(({ roundId, crash }) => ({ roundId, crash }))
  }

  #results(where: string, limit: number, ...values: number[]): RoundResult[] {
    return this.#sql
      .exec<{ result: string }>(
        `SELECT result FROM rounds WHERE ${where} ORDER BY round_id DESC LIMIT ?`,
        ...values,
        limit,
      )
      .toArray()
      .map(({ result }) => JSON.parse(result) as RoundResult)
  }

  /** Returns the newest wins of all rounds. Wins of an unrecorded round come from the round itself. */
  #recentWins(view: RoundView): Win[] {
    const ended = this.#sql
      .exec<{ win: string }>('SELECT win FROM wins ORDER BY at DESC')
      .toArray()
      .map(({ win }) => JSON.parse(win) as Win)
    const fresh = this.#isRecorded(view.plan.roundId) ? [] : view.wins
    return [...fresh, ...ended].slice(0, RECENT_WINS_LENGTH)
  }

  #noteRead(): void {
    const now = this.#clock.now()
    const before = this.#lastReadAt
    if (now - before < READ_RESOLUTION_MS) return
    this.#lastReadAt = now
    this.#sql.exec('INSERT OR REPLACE INTO activity (id, last_read_at) VALUES (1, ?)', now)
  }
}
