import { LazyTable } from '../kernel/lazy-table.ts'
import type { Schema } from '../kernel/migrations.ts'
import { firstRow } from '../kernel/rows.ts'
import type { LedgerKernel, LedgerPart } from './kernel.ts'

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

/** The withdrawals of deposits above the player's limits. */
export class Quarantine implements LedgerPart {
  readonly #kernel: LedgerKernel
  readonly #table: LazyTable

  constructor(kernel: LedgerKernel) {
    this.#kernel = kernel
    this.#table = new LazyTable(kernel.storage, 'quarantine_withdrawals', MIGRATION)
  }

  load(schema: Schema): void {
    this.#table.load(schema)
  }

  forget(): void {
    this.#table.forget()
  }

  /** Makes the table, outside of any transaction. */
  prepare(): void {
    this.#table.make()
  }

  /** Records a withdrawal's part, in its transaction. @param amountWei in smallest units */
  record(vaultId: string, nonce: number, amountWei: bigint): void {
    this.#kernel.storage.sql.exec(
      'INSERT INTO quarantine_withdrawals (vault, nonce, amount_wei) VALUES (?, ?, ?)',
      vaultId,
      nonce,
      amountWei.toString(),
    )
  }

  /** Returns the part of a withdrawal that left quarantine, in smallest units. */
  partOf(vaultId: string, nonce: number): bigint {
    if (!this.#table.isMade) return 0n
    const row = firstRow(
      this.#kernel.storage.sql.exec<{ amountWei: string }>(
        `SELECT amount_wei AS amountWei FROM quarantine_withdrawals WHERE vault = ? AND nonce = ?`,
        vaultId,
        nonce,
      ),
    )
    return BigInt(row?.amountWei ?? 0)
  }
}
