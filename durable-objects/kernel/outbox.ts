import { sha256 } from '@noble/hashes/sha2'
import { answerWithin } from '../../src/calls/call.ts'
import { utf8 } from '../../src/core/utf8.ts'
import { logFault } from '../../src/log.ts'
import { earliest } from './alarm.ts'
import type { Owner } from './owner.ts'
import { firstRow } from './rows.ts'

/** A message to another object or to D1, stored with the change that causes it. */
export interface OutboxMessage {
  kind: string
  /** JSON text. */
  payload: string
}

const TABLES = `
  CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX outbox_due ON outbox (due_at);
`

type Row = { id: number; kind: string; payload: string; attempts: number }

const BATCH = 100
/** A delivery that takes longer counts as failed and is tried again. */
export const DELIVERY_MS = 10_000
const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 300_000
/** Each failure from this many on is reported. The message is never dropped. */
export const REPORT_FROM_ATTEMPT = 5

/**
 * Delivers messages at least once. Each row has its own due time and back-off, so an unavailable
 * destination never holds up the others.
 */
export class Outbox {
  readonly migration = { id: 'outbox', sql: TABLES }
  readonly #sql: SqlStorage
  readonly #deliver: (message: OutboxMessage) => Promise<void>
  readonly #owner: Owner
  /** Rows now being delivered, so that an alarm doesn't repeat a delivery that a request has begun. */
  readonly #underWay = new Set<number>()
  /** Delivered rows. They are deleted with the next write, to save a separate one. */
  #delivered: number[] = []

  constructor(sql: SqlStorage, deliver: (message: OutboxMessage) => Promise<void>, owner: Owner) {
    this.#sql = sql
    this.#owner = owner
    this.#deliver = deliver
  }

  /** Adds a message, in the caller's transaction. Returns its id. */
  add(message: OutboxMessage, dueAt: number): number {
    this.#forgetDelivered()
    return this.#sql
      .exec<{ id: number }>(
        'INSERT INTO outbox (kind, payload, due_at) VALUES (?, ?, ?) RETURNING id',
        message.kind,
        message.payload,
        dueAt,
      )
      .one().id
  }

  /**
   * Adds a message to be delivered again, in the caller's transaction, unless it already waits. A delivery that takes
   * too long counts as failed and is repeated, so it may end twice.
   * @param now in unix milliseconds; `dueAt` must be later
   */
  addAgain({ kind, payload }: OutboxMessage, dueAt: number, now: number): void {
    this.#forgetDelivered()
    this.#sql.exec(
      `INSERT INTO outbox (kind, payload, due_at) SELECT ?1, ?2, ?3
       WHERE NOT EXISTS (SELECT 1 FROM outbox WHERE kind = ?1 AND payload = ?2 AND due_at > ?4)`,
      kind,
      payload,
      dueAt,
      now,
    )
  }

  /** Returns the due time of the next message that is not being delivered, or null. */
  nextDueAt(now: number): number | null {
    const next = firstRow(
      this.#sql.exec<{ due_at: number }>(
        `SELECT due_at FROM outbox WHERE id NOT IN (SELECT value FROM json_each(?))
         ORDER BY due_at LIMIT 1`,
        this.#handled(),
      ),
    )
    return earliest(next?.due_at ?? null, this.#underWay.size > 0 ? now + DELIVERY_MS : null)
  }

  size(): number {
    this.#forgetDelivered()
    return this.#sql.exec<{ size: number }>('SELECT count(*) AS size FROM outbox').one().size
  }

  /** Returns the number of waiting messages of some kinds. */
  sizeOf(kinds: readonly string[]): number {
    this.#forgetDelivered()
    const query =
      'SELECT count(*) AS size FROM outbox WHERE kind IN (SELECT value FROM json_each(?))'
    return this.#sql.exec<{ size: number }>(query, JSON.stringify(kinds)).one().size
  }

  /** Returns whether a message of a kind is waiting. */
  has(kind: string): boolean {
    this.#forgetDelivered()
    const query = `SELECT ${isWaiting(kind)} AS isWaiting`
    return this.#sql.exec<{ isWaiting: number }>(query).one().isWaiting === 1
  }

  /** Marks a message as delivered by its writer. */
  markDelivered(id: number): void {
    this.#delivered.push(id)
  }

  /** Deletes the waiting messages of a kind. Their work must be done, or the caller must queue it again. */
  cancel(kind: string): void {
    this.#sql.exec('DELETE FROM outbox WHERE kind = ?', kind)
  }

  /** Delivers all due messages, a batch at a time. Never throws for a failing destination. */
  async drain(now: number): Promise<void> {
    this.#forgetDelivered()
    const due = this.#sql
      .exec<Row>(
        `SELECT id, kind, payload, attempts FROM outbox
         WHERE due_at <= ? AND id NOT IN (SELECT value FROM json_each(?))
         ORDER BY due_at LIMIT ?`,
        now,
        this.#handled(),
        BATCH,
      )
      .toArray()
    await Promise.all(due.map((row) => this.#try(row, now)))
    this.#forgetDelivered()
  }

  async #try(row: Row, now: number): Promise<void> {
    this.#underWay.add(row.id)
    try {
      await answerWithin(DELIVERY_MS, this.#deliver(row))
      this.#delivered.push(row.id)
      if (row.attempts >= REPORT_FROM_ATTEMPT) this.#reportStuck()
    } catch (fault) {
      const attempts = row.attempts + 1
      this.#sql.exec(
        'UPDATE outbox SET attempts = ?, due_at = ? WHERE id = ?',
        attempts,
        now + retryDelayMs(attempts, `${this.#owner.object} ${row.id}`),
        row.id,
      )
      if (attempts >= REPORT_FROM_ATTEMPT) {
        const { object } = this.#owner
        const { kind, id } = row
        logFault('outbox_message_stuck', fault, { object, kind, id, attempts })
        this.#reportStuck()
      }
    } finally {
      this.#underWay.delete(row.id)
    }
  }

  #reportStuck(): void {
    const { stuck } = this.#sql
      .exec<{ stuck: number }>(
        `SELECT count(*) AS stuck FROM outbox
         WHERE attempts >= ? AND id NOT IN (SELECT value FROM json_each(?))`,
        REPORT_FROM_ATTEMPT,
        JSON.stringify(this.#delivered),
      )
      .one()
    this.#owner.reportStuck(stuck)
  }

  /** Returns the rows being delivered or already delivered, as a JSON list. */
  #handled(): string {
    return JSON.stringify([...this.#underWay, ...this.#delivered])
  }

  #forgetDelivered(): void {
    if (this.#delivered.length === 0) return
    this.#sql.exec(
      'DELETE FROM outbox WHERE id IN (SELECT value FROM json_each(?))',
      JSON.stringify(this.#delivered),
    )
    this.#delivered = []
  }
}

/**
 * Returns the condition that a message of a kind is waiting, in SQL. @param kind a constant, because it isn't escaped
 */
export function isWaiting(kind: string): string {
  return `EXISTS (SELECT 1 FROM outbox WHERE kind = '${kind}')`
}

/**
 * Returns the delay before the next attempt, in milliseconds, after a number of failed attempts: between half the
 * planned delay and all of it. Messages that failed together would otherwise be sent together again.
 * @param message the sender and the message, which determine the delay's place between these bounds
 */
export function retryDelayMs(attempts: number, message: string): number {
  const plannedMs = Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LONGEST_RETRY_MS)
  const [place = 0] = sha256(utf8(`${message} ${attempts}`))
  return Math.round((plannedMs * (1 + place / 255)) / 2)
}
