import { DurableObject } from 'cloudflare:workers'
import { disclose, type Disclosure } from '../src/crash/disclosure.ts'
import {
  DISCLOSED_ROUNDS,
  HISTORY_LENGTH,
  RECENT_WINS_LENGTH,
  type RoundResult,
  type Win,
} from '../src/crash/result.ts'
import type { RoundView, Snapshot } from '../src/crash/state.ts'
import { logFault } from '../src/log.ts'
import { crashRound } from '../src/objects.ts'
import { Alarm } from './kernel/alarm.ts'
import { Clock } from './kernel/clock.ts'
import { migrate } from './kernel/migrations.ts'
import { transact } from './kernel/transact.ts'

/**
 * `rounds` holds every opened round. `result` is null until the round ends; `swept` is set once none
 * of its messages wait. Swept rounds that no list shows are deleted.
 */
const TABLES = `
  CREATE TABLE rounds (
    round_id INTEGER PRIMARY KEY,
    result TEXT,
    kind TEXT,
    bet_count INTEGER NOT NULL DEFAULT 0,
    swept INTEGER NOT NULL DEFAULT 0
  ) STRICT;
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
const READ_RESOLUTION_MS = 1_000

/** A sweep visits at most this many unfinished rounds, chosen at random so stuck ones don't block others. */
const SWEEP_BATCH = 50

/** The sequence of rounds: the current round, recent results, and when the next round opens. */
export class CrashTable extends DurableObject<Env> {
  readonly #clock = new Clock()
  readonly #alarm = new Alarm(this.ctx.storage)
  readonly #sql = this.ctx.storage.sql
  #lastReadAt = 0
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

  /** Returns the table's public state, always with an unfinished round: a look opens the next round if needed. */
  async snapshot(): Promise<Snapshot> {
    this.#noteRead()
    const view = await this.#currentRound()
    return { ...view, history: this.#history(), recentWins: this.#recentWins(view) }
  }

  /** Returns the newest settled rounds with bets and the newest voided rounds, with their seeds. */
  async disclosure(): Promise<Disclosure> {
    const current = this.#currentRoundId()
    if (current !== null) this.#record(await crashRound(this.env, current).open())
    return disclose([
      ...this.#results(`kind = 'settled' AND bet_count > 0`, DISCLOSED_ROUNDS),
      ...this.#results(`kind = 'voided'`, DISCLOSED_ROUNDS),
    ])
  }

  /** Records that a round has ended. Called by the round; safe to repeat. */
  async recordEnd(result: RoundResult, wins: Win[]): Promise<void> {
    this.#recordEnd(result, wins)
    this.#alarm.wakeBy(result.resultsUntil, this.#clock.now())
  }

  /** Returns the number of the newest opened round; 0 before the first. */
  async newestRoundId(): Promise<number> {
    return this.#currentRoundId() ?? 0
  }

  /** Advances rounds that nobody is reading: the current one, and those with pending payouts or history. */
  async sweep(): Promise<void> {
    const waiting = this.#sql
      .exec<{ round_id: number }>(
        'SELECT round_id FROM rounds WHERE swept = 0 ORDER BY random() LIMIT ?',
        SWEEP_BATCH,
      )
      .toArray()
    await Promise.all(
      waiting.map(async ({ round_id: roundId }) => {
        try {
          const left = await crashRound(this.env, roundId).sweep()
          if (left === 0) {
            this.#sql.exec(
              'UPDATE rounds SET swept = 1 WHERE round_id = ? AND result IS NOT NULL',
              roundId,
            )
          }
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
    const roundId = this.#currentRoundId() ?? this.#openAfter(0)
    const view = await crashRound(this.env, roundId).open()
    this.#record(view)
    if (view.stage !== 'over' && view.stage !== 'void') return view
    const nextId = this.#openAfter(roundId)
    const next = await crashRound(this.env, nextId).open()
    this.#record(next)
    return next
  }

  #currentRoundId(): number | null {
    return this.#sql.exec<{ id: number | null }>('SELECT max(round_id) AS id FROM rounds').one().id
  }

  /** Makes the round after this one current, unless another call already has. */
  #openAfter(roundId: number): number {
    this.#sql.exec('INSERT OR IGNORE INTO rounds (round_id) VALUES (?)', roundId + 1)
    return this.#currentRoundId() ?? roundId + 1
  }

  #record(view: RoundView): void {
    if (view.result) this.#recordEnd(view.result, view.wins)
  }

  #recordEnd(result: RoundResult, wins: Win[]): void {
    transact(this.ctx.storage, () => {
      const known = this.#sql
        .exec('SELECT 1 FROM rounds WHERE round_id = ? AND result IS NOT NULL', result.roundId)
        .toArray()
      if (known.length > 0) return
      this.#sql.exec(
        'UPDATE rounds SET result = ?, kind = ?, bet_count = ? WHERE round_id = ?',
        JSON.stringify(result),
        result.kind,
        result.betCount,
        result.roundId,
      )
      for (const win of wins) {
        this.#sql.exec(
          'INSERT INTO wins (round_id, at, win) VALUES (?, ?, ?)',
          result.roundId,
          win.at,
          JSON.stringify(win),
        )
      }
      this.#forget()
    })
  }

  /** Deletes the rounds that no list shows any more. */
  #forget(): void {
    this.#sql.exec(
      'DELETE FROM wins WHERE rowid NOT IN (SELECT rowid FROM wins ORDER BY at DESC LIMIT ?)',
      RECENT_WINS_LENGTH,
    )
    this.#sql.exec(
      `DELETE FROM rounds WHERE swept = 1
         AND round_id NOT IN (SELECT round_id FROM rounds ORDER BY round_id DESC LIMIT ${HISTORY_LENGTH + 1})
         AND round_id NOT IN (SELECT round_id FROM rounds WHERE kind = 'settled' ORDER BY round_id DESC LIMIT ${HISTORY_LENGTH})
         AND round_id NOT IN (SELECT round_id FROM rounds WHERE kind = 'settled' AND bet_count > 0 ORDER BY round_id DESC LIMIT ${DISCLOSED_ROUNDS})
         AND round_id NOT IN (SELECT round_id FROM rounds WHERE kind = 'voided' ORDER BY round_id DESC LIMIT ${DISCLOSED_ROUNDS})`,
    )
  }

  #history(): Snapshot['history'] {
    return this.#results(`kind = 'settled'`, HISTORY_LENGTH)
      .filter((result) => result.kind === 'settled')
      .map(({ roundId, crash }) => ({ roundId, crash }))
  }

  #results(where: string, limit: number): RoundResult[] {
    return this.#sql
      .exec<{ result: string }>(
        `SELECT result FROM rounds WHERE ${where} ORDER BY round_id DESC LIMIT ?`,
        limit,
      )
      .toArray()
      .map(({ result }) => JSON.parse(result) as RoundResult)
  }

  /** Returns the newest wins of all rounds. Wins of an unfinished round come from the round itself. */
  #recentWins(view: RoundView): Win[] {
    const ended = this.#sql
      .exec<{ win: string }>('SELECT win FROM wins ORDER BY at DESC')
      .toArray()
      .map(({ win }) => JSON.parse(win) as Win)
    return [...(view.result ? [] : view.wins), ...ended].slice(0, RECENT_WINS_LENGTH)
  }

  #noteRead(): void {
    const now = this.#clock.now()
    const before = this.#lastReadAt
    if (now - before < READ_RESOLUTION_MS) return
    this.#lastReadAt = now
    this.#sql.exec('INSERT OR REPLACE INTO activity (id, last_read_at) VALUES (1, ?)', now)
  }
}
