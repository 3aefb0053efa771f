import { hasTable, migrate } from '../kernel/migrations.ts'
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

/** The withdrawals of what was deposited above the player's limits. */
export class Quarantine implements LedgerPart {
  readonly #kernel: LedgerKernel
  #isMade: boolean | null = null

  constructor(kernel: LedgerKernel) {
    this.#kernel = kernel
  }

  load(schema: Schema): void {
    this.#isMade = schema.has('quarantine_withdrawals')
    if (this.#isMade) migrate(this.#kernel.storage, [MIGRATION], schema)
  }

  forget(): void {
    this.#isMade = null
  }

  /** Makes the table, outside of any transaction. */
  prepare(): void {
    migrate(this.#kernel.storage, [MIGRATION])
    this.#isMade = true
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
    this.#isMade ??= hasTable(this.#kernel.storage, 'quarantine_withdrawals')
    if (!this.#isMade) return 0n
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
