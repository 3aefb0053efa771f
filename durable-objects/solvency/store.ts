import { hexToBytes } from '@noble/hashes/utils'
import { invariant } from '../../src/core/invariant.ts'
import { compareBytes } from '../../src/solvency/bytes.ts'
import { RECORD_BYTES, walletSaltOf } from '../../src/solvency/leaf.ts'
import { proofOf } from '../../src/solvency/proof.ts'
import type { SolvencyProof, Statement } from '../../src/solvency/statement.ts'
import { CHUNK_LEAVES, chunkOf, siblingsIn, type SumTree } from '../../src/solvency/sum-tree.ts'
import { randomSecret } from '../kernel/random.ts'
import type { RecordPage } from './debts.ts'

/**
 * The newest tree: its statement, the tops of its chunks of leaves, the chunks, and the wallets' records in the
 * order of D1, each with the position of its leaf. A chunk of either is one row, so that a tree of 100,000
 * wallets is 197 rows. `secret` is what all salts follow from; nothing may show or log it.
 */
const TABLES = `
  CREATE TABLE secret (id INTEGER PRIMARY KEY CHECK (id = 1), key BLOB NOT NULL) STRICT;
  CREATE TABLE published (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    statement TEXT NOT NULL,
    top BLOB NOT NULL,
    tops BLOB NOT NULL,
    is_logged INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE leaves (chunk INTEGER PRIMARY KEY, leaves BLOB NOT NULL) STRICT;
  CREATE TABLE records (
    chunk INTEGER PRIMARY KEY,
    first_wallet TEXT NOT NULL,
    records BLOB NOT NULL,
    positions BLOB NOT NULL
  ) STRICT;
`

type PublishedRow = { statement: string; top: ArrayBuffer; tops: ArrayBuffer; isLogged: number }

/** The newest tree as stored. */
export class TreeStore {
  readonly migration = { id: 'solvency', sql: TABLES }
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Returns the secret of all salts. Draws it the first time. */
  key(): Uint8Array {
    const [row] = this.#sql.exec<{ key: ArrayBuffer }>('SELECT key FROM secret').toArray()
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

  /** Replaces the tree, in the caller's transaction. @param all records, as one page */
  save(statement: Statement, { records, firstWallets }: RecordPage, tree: SumTree): void {
    for (const [chunk, firstWallet] of firstWallets.entries()) {
      const [from, to] = [chunk * CHUNK_LEAVES, (chunk + 1) * CHUNK_LEAVES]
      this.#sql.exec(
        'INSERT OR REPLACE INTO leaves (chunk, leaves) VALUES (?, ?)',
        ...[chunk, chunkOf(tree.leaves, chunk)],
      )
      this.#sql.exec(
        `INSERT OR REPLACE INTO records (chunk, first_wallet, records, positions)
         VALUES (?, ?, ?, ?)`,
        ...[chunk, firstWallet],
        ...[
          records.slice(from * RECORD_BYTES, to * RECORD_BYTES),
          bytesOf(tree.positions, from, to),
        ],
      )
    }
    this.#sql.exec('DELETE FROM leaves WHERE chunk >= ?', firstWallets.length)
    this.#sql.exec('DELETE FROM records WHERE chunk >= ?', firstWallets.length)
    this.#sql.exec(
      `INSERT OR REPLACE INTO published (id, statement, top, tops, is_logged)
       VALUES (1, ?, ?, ?, 0)`,
      ...[JSON.stringify(statement), tree.top, tree.tops],
    )
  }

  /** Returns a wallet's proof; null if the wallet isn't in the tree. @param wallet in EIP-55 form */
  proof(wallet: string): SolvencyProof | null {
    const row = this.#published()
    const found = row && this.#find(wallet)
    if (!row || !found) return null
    const { epoch, leaves } = JSON.parse(row.statement) as Statement
    const { record, position } = found
    const chunk = this.#sql
      .exec<{ leaves: ArrayBuffer }>(
        'SELECT leaves FROM leaves WHERE chunk = ?',
        Math.floor(position / CHUNK_LEAVES),
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

  /** Finds a wallet's record in the chunk that would have it, and the position of its leaf. */
  #find(wallet: string): { record: Uint8Array; position: number } | null {
    const [chunk] = this.#sql
      .exec<{ records: ArrayBuffer; positions: ArrayBuffer }>(
        `SELECT records, positions FROM records WHERE first_wallet <= ?
         ORDER BY chunk DESC LIMIT 1`,
        wallet,
      )
      .toArray()
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

  #published(): PublishedRow | null {
    const [row] = this.#sql
      .exec<PublishedRow>('SELECT statement, top, tops, is_logged AS isLogged FROM published')
      .toArray()
    return row ?? null
  }
}

function bytesOf(positions: Uint32Array, from: number, to: number): ArrayBuffer {
  return positions.slice(from, to).buffer
}
