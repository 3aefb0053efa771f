import type { BoxEvent } from '../../src/chain/box-events.ts'
import type { StoredBox } from '../../src/exports/rows.ts'
import { firstRow, hasRow } from '../kernel/rows.ts'

/**
 * How far the box contract has been read, the sum of its boxes' prizes, its batches, its boxes that were not exported
 * yet, and the kinds of boxes that were exported closed and may still open. `n` is a box's place in the order of sale.
 */
const TABLES = `
  CREATE TABLE boxes_read (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    contract TEXT NOT NULL,
    block INTEGER NOT NULL,
    sold INTEGER NOT NULL,
    promised TEXT,
    is_whole INTEGER
  ) STRICT;
  CREATE TABLE box_batches (
    batch INTEGER PRIMARY KEY,
    pepper_hash TEXT NOT NULL,
    pepper TEXT,
    ended_at INTEGER
  ) STRICT;
  CREATE TABLE waiting_boxes (
    n INTEGER PRIMARY KEY,
    box_id TEXT NOT NULL,
    wallet TEXT NOT NULL,
    kind INTEGER NOT NULL,
    batch INTEGER NOT NULL,
    bought TEXT NOT NULL,
    opened TEXT
  ) STRICT;
  CREATE INDEX waiting_boxes_by_id ON waiting_boxes (box_id);
  CREATE TABLE closed_boxes (box_id TEXT PRIMARY KEY, kind INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`

/** How far a contract has been read. */
export interface BoxesRead {
  /** Chain and contract. */
  contract: string
  /** The last block that was read. */
  block: number
  /** The boxes sold up to it. */
  sold: number
  /**
   * The prizes of open boxes plus the top prizes of the others, in the reward token's smallest unit; null if some may
   * have been left out.
   */
  promised: string | null
  /** 1 if the events up to there matched the contract's count; otherwise unknown. */
  isWhole: number | null
}

type BoxRow = {
  n: number
  boxId: string
  wallet: string
  kind: number
  batch: number
  bought: string
  opened: string | null
  pepperHash: string
  pepper: string
  endedAt: number
}

/** The boxes that the exporter knows. Every method that writes runs in its caller's transaction. */
export class BoxStore {
  readonly migration = { id: 'exported-boxes', sql: TABLES }
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  read(): BoxesRead | null {
    return firstRow(
      this.#sql.exec<{ [Column in keyof BoxesRead]: BoxesRead[Column] }>(
        'SELECT contract, block, sold, promised, is_whole AS isWhole FROM boxes_read',
      ),
    )
  }

  /** Returns the numbers of a contract's batches, and whether each has ended. */
  batches(contract: string): Map<number, boolean> {
    if (this.read()?.contract !== contract) return new Map()
    const rows = this.#sql
      .exec<{ batch: number; isEnded: number }>(
        'SELECT batch, ended_at IS NOT NULL AS isEnded FROM box_batches',
      )
      .toArray()
    return new Map(rows.map(({ batch, isEnded }) => [batch, isEnded === 1]))
  }

  /** Returns the kind of a box that is not known to be open; null if it is unknown. */
  kindOf(boxId: bigint): number | null {
    return (
      firstRow(
        this.#sql.exec<{ kind: number }>(
          `SELECT kind FROM waiting_boxes WHERE box_id = ?1
         UNION ALL SELECT kind FROM closed_boxes WHERE box_id = ?1`,
          boxId.toString(),
        ),
      )?.kind ?? null
    )
  }

  /**
   * Takes some blocks' events. Those of another contract replace everything.
   * @param endedAt the times of the batches' ends among them, in unix milliseconds
   */
  take(read: BoxesRead, events: readonly BoxEvent[], endedAt: ReadonlyMap<number, number>): void {
    if (this.read()?.contract !== read.contract) this.clear()
    let { sold } = read
    for (const event of events) {
      const { block, txHash } = event
      const place = { block, txHash }
      switch (event.kind) {
        case 'batch-opened':
          this.#sql.exec(
            'INSERT INTO box_batches (batch, pepper_hash) VALUES (?, ?)',
            event.batch,
            event.pepperHash,
          )
          break
        case 'bought':
          this.#sql.exec(
            `INSERT INTO waiting_boxes (n, box_id, wallet, kind, batch, bought)
             VALUES (?, ?, ?, ?, ?, ?)`,
            sold++,
            event.boxId.toString(),
            event.buyer,
            event.boxKind,
            event.batch,
            JSON.stringify(place),
          )
          break
        case 'opened':
          // A box that was exported closed can only open to the tier of its published pepper.
          this.#sql.exec(
            'UPDATE waiting_boxes SET opened = ? WHERE box_id = ?',
            JSON.stringify({ tier: event.tier, prize: event.prize.toString(), ...place }),
            event.boxId.toString(),
          )
          this.#sql.exec('DELETE FROM closed_boxes WHERE box_id = ?', event.boxId.toString())
          break
        case 'batch-ended':
          this.#sql.exec(
            'UPDATE box_batches SET pepper = ?, ended_at = ? WHERE batch = ?',
            event.pepper,
            endedAt.get(event.batch) ?? null,
            event.batch,
          )
      }
    }
    this.#sql.exec(
      `INSERT OR REPLACE INTO boxes_read (id, contract, block, sold, promised, is_whole)
       VALUES (1, ?, ?, ?, ?, ?)`,
      read.contract,
      read.block,
      sold,
      read.promised,
      read.isWhole,
    )
  }

  /** Returns boxes of batches that have ended, in the order of sale. */
  ended(limit: number): StoredBox[] {
    return this.#sql
      .exec<BoxRow>(
        `SELECT n, box_id AS boxId, wallet, kind, batch, bought, opened,
           pepper_hash AS pepperHash, pepper, ended_at AS endedAt
         FROM waiting_boxes JOIN box_batches USING (batch)
         WHERE ended_at IS NOT NULL ORDER BY n LIMIT ?`,
        limit,
      )
      .toArray()
      .map(({ bought, opened, ...box }) => ({
        ...box,
        bought: JSON.parse(bought) as StoredBox['bought'],
        opened: opened === null ? null : (JSON.parse(opened) as StoredBox['opened']),
      }))
  }

  /** Returns whether boxes wait, although their batch may not have ended. */
  hasWaiting(): boolean {
    return hasRow(this.#sql.exec('SELECT 1 FROM waiting_boxes LIMIT 1'))
  }

  /** Forgets everything, before another contract is read. */
  clear(): void {
    for (const table of ['boxes_read', 'box_batches', 'waiting_boxes', 'closed_boxes']) {
      this.#sql.exec(`DELETE FROM ${table}`)
    }
  }

  /** Removes boxes that are exported. */
  remove(boxes: readonly StoredBox[]): void {
    for (const { n, boxId, kind, opened } of boxes) {
      this.#sql.exec('DELETE FROM waiting_boxes WHERE n = ?', n)
      if (opened) continue
      this.#sql.exec('INSERT INTO closed_boxes (box_id, kind) VALUES (?, ?)', boxId, kind)
    }
  }
}
