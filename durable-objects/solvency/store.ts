import { hexToBytes } from '@noble/hashes/utils'
import { invariant } from '../../src/core/invariant.ts'
import { compareBytes } from '../../src/solvency/bytes.ts'
import { leavesOf, RECORD_BYTES, walletSaltOf } from '../../src/solvency/leaf.ts'
import { proofOf } from '../../src/solvency/proof.ts'
import type { SolvencyProof, Statement } from '../../src/solvency/statement.ts'
import {
  CHUNK_LEAVES,
  siblingsIn,
  sortedBuckets,
  TreeBuilder,
  type Tops,
} from '../../src/solvency/sum-tree.ts'
import { randomSecret } from '../kernel/random.ts'
import { firstRow } from '../kernel/rows.ts'

/**
 * The newest tree: its statement, the tops of its chunks of leaves, the chunks, and the wallets' records in the order
 * of D1, each with the position of its leaf. Up to 1,024 of either are one row, so that a tree of 100,000 wallets is
 * 197 rows. The next tree is written beside it, to the other half of the chunks' numbers: `first_chunk` says which half
 * is shown. Until a tree's leaves are sorted, they are in `unsorted`, beside their records. `secret` is the secret that
 * all salts follow from; nothing may show or log it.
 */
const TABLES = `
  CREATE TABLE secret (id INTEGER PRIMARY KEY CHECK (id = 1), key BLOB NOT NULL) STRICT;
  CREATE TABLE published (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    statement TEXT NOT NULL,
    top BLOB NOT NULL,
    tops BLOB NOT NULL,
    first_chunk INTEGER NOT NULL,
    is_logged INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE leaves (chunk INTEGER PRIMARY KEY, leaves BLOB NOT NULL) STRICT;
  CREATE TABLE records (
    chunk INTEGER PRIMARY KEY,
    first_wallet TEXT NOT NULL,
    records BLOB NOT NULL,
    positions BLOB NOT NULL,
    unsorted BLOB NOT NULL
  ) STRICT;
`

/** The number of the first chunk of the second half. */
const HALF = 2 ** 31

const NO_POSITIONS = new ArrayBuffer(0)

type PublishedRow = {
  statement: string
  top: ArrayBuffer
  tops: ArrayBuffer
  firstChunk: number
  isLogged: number
}

/** The newest tree as stored, and the next one while it is built. */
export class TreeStore {
  readonly migration = { id: 'solvency', sql: TABLES }
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Returns the secret of all salts. Draws it the first time. */
  key(): Uint8Array {
    const row = firstRow(this.#sql.exec<{ key: ArrayBuffer }>('SELECT key FROM secret'))
    if (row) return new Uint8Array(row.key)
    const key = hexToBytes(randomSecret())
    this.#sql.exec('INSERT INTO secret (id, key) VALUES (1, ?)', key)
    return key
  }

  /** Returns the newest statement, and whether the public log has it; null before the first. */
  published(): { statement: Statement; isLogged: boolean } | null {
    const row = this.#published()
    return (
      row && { statement: JSON.parse(row.statement) as Statement, isLogged: row.isLogged === 1 }
    )
  }

  /** Notes that the public log has an epoch. Another may have been published meanwhile. */
  noteLogged(epoch: number): void {
    this.#sql.exec("UPDATE published SET is_logged = 1 WHERE statement ->> 'epoch' = ?", epoch)
  }

  /** Adds a row of records to the next tree. @param row the number of rows before it */
  add(epoch: number, row: number, firstWallet: string, records: Uint8Array): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO records (chunk, first_wallet, records, positions, unsorted)
       VALUES (?, ?, ?, ?, ?)`,
      this.#next() + row,
      firstWallet,
      records,
      NO_POSITIONS,
      leavesOf(this.key(), epoch, records),
    )
  }

  /** Sorts the leaves of the next tree and stores them. @param rows the number of rows of records */
  async build(count: number, rows: number): Promise<Tops> {
    const next = this.#next()
    const positions = new Uint32Array(count)
    const builder = new TreeBuilder(count, (chunk, leaves) =>
      this.#sql.exec(
        'INSERT OR REPLACE INTO leaves (chunk, leaves) VALUES (?, ?)',
        next + chunk,
        leaves,
      ),
    )
    for (const bucket of sortedBuckets(count, () => this.#unsorted(next, rows))) {
      for (const { leaf, index } of bucket) positions[index] = builder.add(leaf)
      // Lets readers in between two buckets.
      await new Promise((resolve) => setTimeout(resolve, 0))
    }
    let first = 0
    for (let row = 0; row < rows; row++) {
      const end = first + this.#lengthOf(next + row)
      this.#sql.exec(
        'UPDATE records SET positions = ? WHERE chunk = ?',
        positions.slice(first, end).buffer,
        next + row,
      )
      first = end
    }
    return builder.end()
  }

  /** Shows the next tree, in the caller's transaction. @param rows the number of its rows of records */
  publish(statement: Statement, { tops, top }: Tops, rows: number): void {
    const next = this.#next()
    const chunks = Math.ceil(statement.leaves / CHUNK_LEAVES)
    // Remains of the tree before the last.
    for (const [table, count] of [['leaves', chunks] as const, ['records', rows] as const]) {
      const [from, to] = [next + count, next + HALF]
      this.#sql.exec(`DELETE FROM ${table} WHERE chunk >= ? AND chunk < ?`, from, to)
    }
    this.#sql.exec(
      `INSERT OR REPLACE INTO published (id, statement, top, tops, first_chunk, is_logged)
       VALUES (1, ?, ?, ?, ?, 0)`,
      JSON.stringify(statement),
      top,
      tops,
      next,
    )
  }

  /** Returns a wallet's proof; null if the wallet isn't in the tree. @param wallet in EIP-55 form */
  proof(wallet: string): SolvencyProof | null {
    const row = this.#published()
    const found = row && this.#find(row.firstChunk, wallet)
    if (!row || !found) return null
    const { epoch, leaves } = JSON.parse(row.statement) as Statement
    const { record, position } = found
    const chunk = this.#sql
      .exec<{ leaves: ArrayBuffer }>(
        'SELECT leaves FROM leaves WHERE chunk = ?',
        row.firstChunk + Math.floor(position / CHUNK_LEAVES),
      )
      .one().leaves
    return proofOf({
      epoch,
      record,
      index: position,
      top: new Uint8Array(row.top),
      walletSalt: walletSaltOf(this.key(), record.subarray(0, 20)),
      siblings: siblingsIn(new Uint8Array(chunk), new Uint8Array(row.tops), leaves, position),
    })
  }

  /** Finds a wallet's record in the row that would have it, and the position of its leaf. */
  #find(firstChunk: number, wallet: string): { record: Uint8Array; position: number } | null {
    const chunk = firstRow(
      this.#sql.exec<{ records: ArrayBuffer; positions: ArrayBuffer }>(
        `SELECT records, positions FROM records WHERE chunk >= ? AND chunk < ? AND first_wallet <= ?
         ORDER BY chunk DESC LIMIT 1`,
        firstChunk,
        firstChunk + HALF,
        wallet,
      ),
    )
    if (!chunk) return null
    const player = hexToBytes(wallet.slice(2))
    const records = new Uint8Array(chunk.records)
    for (let at = 0; at < records.length; at += RECORD_BYTES) {
      if (compareBytes(records.subarray(at, at + 20), player) !== 0) continue
      const position = new Uint32Array(chunk.positions)[at / RECORD_BYTES]
      invariant(position !== undefined, 'every record has the position of its leaf')
      return { record: records.subarray(at, at + RECORD_BYTES), position }
    }
    return null
  }

  /** Returns the packed leaves of the next tree, a row of records after another. */
  *#unsorted(firstChunk: number, rows: number): Generator<Uint8Array> {
    for (let row = 0; row < rows; row++) {
      const { unsorted } = this.#sql
        .exec<{ unsorted: ArrayBuffer }>(
          'SELECT unsorted FROM records WHERE chunk = ?',
          firstChunk + row,
        )
        .one()
      yield new Uint8Array(unsorted)
    }
  }

  /** Returns the number of wallets in a row of records. */
  #lengthOf(chunk: number): number {
    const { bytes } = this.#sql
      .exec<{ bytes: number }>(
        'SELECT length(records) AS bytes FROM records WHERE chunk = ?',
        chunk,
      )
      .one()
    return bytes / RECORD_BYTES
  }

  /** Returns the first chunk of the half that isn't shown. */
  #next(): number {
    const shown = firstRow(
      this.#sql.exec<{ firstChunk: number }>('SELECT first_chunk AS firstChunk FROM published'),
    )
    return shown?.firstChunk === 0 ? HALF : 0
  }

  #published(): PublishedRow | null {
    return firstRow(
      this.#sql.exec<PublishedRow>(
        `SELECT statement, top, tops, first_chunk AS firstChunk, is_logged AS isLogged FROM published`,
      ),
    )
  }
}
