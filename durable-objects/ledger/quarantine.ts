import { hasTable, migrate } from '../kernel/migrations.ts'
import type { Schema } from '../kernel/migrations.ts'
import type { Books, LedgerPart } from './books.ts'

/** The part of a withdrawal that left quarantine, and returns there if it is never paid. Most wallets have none. */
const MIGRATION = {
  id: 'quarantine',
  sql: `
    CREATE TABLE quarantine_withdrawals (
      vault TEXT NOT NULL,
      nonce INTEGER NOT NULL,
      amount_wei TEXT NOT NULL,
      PRIMARY KEY (vault, nonce)
    ) STRICT, WITHOUT ROWID;
  `,
}

/** The withdrawals of what was deposited above the player's limits. */
export class Quarantine implements LedgerPart {
  readonly #books: Books
  #isMade: boolean | null = null

  constructor(books: Books) {
    this.#books = books
  }

  load(schema: Schema): void {
    this.#isMade = schema.has('quarantine_withdrawals')
    if (this.#isMade) migrate(this.#books.storage, [MIGRATION], schema)
  }

  forget(): void {
    this.#isMade = null
  }

  /** Makes the table, outside of any transaction. */
  prepare(): void {
    migrate(this.#books.storage, [MIGRATION])
    this.#isMade = true
  }

  /** Records a withdrawal's part, in its transaction. @param amountWei in smallest units */
  record(vaultId: string, nonce: number, amountWei: bigint): void {
    this.#books.storage.sql.exec(
      'INSERT INTO quarantine_withdrawals (vault, nonce, amount_wei) VALUES (?, ?, ?)',
      vaultId,
      nonce,
      amountWei.toString(),
    )
  }

  /** Returns the part of a withdrawal that left quarantine, in smallest units. */
  partOf(vaultId: string, nonce: number): bigint {
    this.#isMade ??= hasTable(this.#books.storage, 'quarantine_withdrawals')
    if (!this.#isMade) return 0n
    const [row] = this.#books.storage.sql
      .exec<{ amountWei: string }>(
        `SELECT amount_wei AS amountWei FROM quarantine_withdrawals WHERE vault = ? AND nonce = ?`,
        vaultId,
        nonce,
      )
      .toArray()
    return BigInt(row?.amountWei ?? 0)
  }
}
