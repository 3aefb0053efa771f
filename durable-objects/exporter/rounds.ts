import { betRow, KEY_OF, roundRow } from '../../src/exports/rows.ts'
import {
  betsOf,
  deleteBets,
  roundsOf,
  roundsPresent,
  type RoundSet,
} from '../../src/history/exports.ts'
import type { Part } from '../kernel/kernel.ts'
import type { Job, Page, Source, WrittenRows } from './source.ts'

/** Rounds that the history lacked when their day was exported, and the day on which they were found. */
const TABLES = `
  CREATE TABLE missing_rounds (
    round_id INTEGER PRIMARY KEY,
    found_on TEXT
  ) STRICT;
`

const ROUNDS = 500
const BETS = 2_000

/** The most bets that are deleted at a time. */
const TRIMMED_AT_ONCE = 5_000

/** The most missing rounds that are looked for in a day. */
const LOOKED_FOR = 10_000

/**
 * Ended rounds and their bets, from the history. A round is written there after its bets, so a round's row
 * means that all its bets are there too. Numbers have no gaps, so a round that comes late is known to be
 * missing, and is exported with the first day that finds it.
 */
export class Rounds implements Part {
  readonly migration = { id: 'missing-rounds', sql: TABLES }
  readonly rounds: Source = { dataset: 'rounds', page: (job, cursor) => this.#rounds(job, cursor) }
  readonly bets: Source = { dataset: 'bets', page: (job, cursor) => this.#bets(job, cursor) }
  readonly #sql: SqlStorage
  readonly #history: D1Database

  constructor(sql: SqlStorage, history: D1Database) {
    this.#sql = sql
    this.#history = history
  }

  /** Returns the missing rounds that the history has by now. */
  async found(): Promise<number[]> {
    const query = 'SELECT round_id FROM missing_rounds WHERE found_on IS NULL LIMIT ?'
    const missing = this.#ids(query, LOOKED_FOR)
    return missing.length === 0 ? [] : roundsPresent(this.#history, missing)
  }

  /** Makes found rounds part of a day, in its caller's transaction. */
  takeFound(roundIds: readonly number[], day: string): void {
    this.#sql.exec(
      `UPDATE missing_rounds SET found_on = ? WHERE round_id IN (SELECT value FROM json_each(?))`,
      day,
      JSON.stringify(roundIds),
    )
  }

  /** Deletes the missing rounds that a closed day has found and exported, in its caller's transaction. */
  close(day: string): void {
    this.#sql.exec('DELETE FROM missing_rounds WHERE found_on = ?', day)
  }

  /** Returns which of some rounds, up to a number, have had their bets exported. */
  exportedOf(roundIds: readonly number[], upTo: number): number[] {
    const missing = new Set(this.#missing(upTo))
    return roundIds.filter((roundId) => roundId <= upTo && !missing.has(roundId))
  }

  /** Deletes exported bets of rounds up to a number from the history. Returns whether none is left. */
  async trim(upTo: number): Promise<boolean> {
    const exported = { upTo, except: this.#missing(upTo) }
    return (await deleteBets(this.#history, exported, TRIMMED_AT_ONCE)) < TRIMMED_AT_ONCE
  }

  #missing(upTo: number): number[] {
    return this.#ids('SELECT round_id FROM missing_rounds WHERE round_id <= ?', upTo)
  }

  async #rounds(job: Job, cursor: string): Promise<Page> {
    const set = this.#set(job)
    const after = cursor === '' ? firstOf(set) - 1 : Number(cursor)
    const stored = await roundsOf(this.#history, set, after, ROUNDS)
    const ids = stored.map(({ result }) => result.roundId)
    const last = ids.at(-1)
    const rows = stored.map((round) => {
      const row = roundRow(round)
      return { key: KEY_OF.rounds(row), line: JSON.stringify(row) }
    })
    const isLast = last === undefined || ids.length < ROUNDS
    const upTo = isLast ? job.roundsLast : last
    return {
      rows,
      cursor: isLast ? null : String(last),
      bets: stored.reduce((sum, { result }) => sum + result.betCount, 0),
      keep: () => {
        this.#noteMissing(Math.max(after, job.roundsAfter) + 1, upTo, ids)
        const end = isLast ? Infinity : last
        this.#loseAgain(set.late.filter((id) => id > after && id <= end && !ids.includes(id)))
      },
    }
  }

  /** The history may be lost after the rounds were written, so their bets are counted. */
  async #bets(job: Job & WrittenRows, cursor: string): Promise<Page | null> {
    const set = this.#set(job)
    const [roundId = '', wallet = ''] = cursor.split(':')
    const after = { roundId: cursor === '' ? firstOf(set) : Number(roundId), wallet }
    const bets = (await betsOf(this.#history, set, after, BETS)).map(betRow)
    const rows = bets.map((bet) => ({ key: KEY_OF.bets(bet), line: JSON.stringify(bet) }))
    const isLast = bets.length < BETS
    // A history that was restored meanwhile may have more.
    if (isLast && job.rows + rows.length < job.bets) return null
    return { rows, cursor: isLast ? null : (rows.at(-1)?.key ?? null) }
  }

  #set({ day, roundsAfter: after, roundsLast }: Job): RoundSet {
    const late = this.#ids('SELECT round_id FROM missing_rounds WHERE found_on = ?', day)
    const except = this.#ids(
      'SELECT round_id FROM missing_rounds WHERE found_on IS NULL AND round_id > ?',
      after,
    )
    return { after, last: Math.max(roundsLast, ...late.slice(-1)), except, late }
  }

  #noteMissing(from: number, upTo: number, present: readonly number[]): void {
    const known = new Set(present)
    for (let roundId = from; roundId <= upTo; roundId++) {
      if (known.has(roundId)) continue
      this.#sql.exec(
        'INSERT INTO missing_rounds (round_id) VALUES (?) ON CONFLICT DO NOTHING',
        roundId,
      )
    }
  }

  /** Notes found rounds that the history has lost again. */
  #loseAgain(roundIds: readonly number[]): void {
    this.#sql.exec(
      'UPDATE missing_rounds SET found_on = NULL WHERE round_id IN (SELECT value FROM json_each(?))',
      JSON.stringify(roundIds),
    )
  }

  #ids(query: string, parameter: string | number): number[] {
    return this.#sql
      .exec<{ round_id: number }>(query, parameter)
      .toArray()
      .map(({ round_id: roundId }) => roundId)
  }
}

function firstOf({ after, late }: RoundSet): number {
  return Math.min(after + 1, ...late.slice(0, 1))
}
