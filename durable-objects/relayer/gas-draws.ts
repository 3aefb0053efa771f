import { DAY_MS } from '../../src/core/utc-day.ts'
import type { GasDraw } from '../../src/relayer/gas.ts'
import { walletOf, type Payout } from './payouts.ts'

const TABLES = `
  CREATE TABLE gas_draws (
    wallet TEXT NOT NULL,
    gas TEXT NOT NULL,
    at INTEGER NOT NULL,
    transaction_id INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX gas_draws_of_wallet ON gas_draws (wallet, at);
  CREATE INDEX gas_draws_by_age ON gas_draws (at);
`

/**
 * Selects a payout's transaction that lost its nonce to another one, and so used no gas. Selects none if several did: a
 * node that does not find receipts makes every mined transaction look so.
 */
const LOST = `SELECT max(id) FROM transactions
  WHERE payout_id = ? AND state = 'closed' AND is_success IS NULL HAVING count(*) = 1`

/** Each wallet's draws on its daily gas allowance. */
export class GasDraws {
  readonly migration = { id: 'gas-draws', sql: TABLES }
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /**
   * Records a transaction's draw in place of the draw of its payout's lost transaction, and deletes expired draws. Runs
   * in its caller's transaction.
   */
  add({ id, order }: Payout, transactionId: number, gas: bigint, now: number): void {
    this.#sql.exec('DELETE FROM gas_draws WHERE at <= ?', now - DAY_MS)
    this.#sql.exec(`DELETE FROM gas_draws WHERE transaction_id = (${LOST})`, id)
    this.#sql.exec(
      'INSERT INTO gas_draws (wallet, gas, at, transaction_id) VALUES (?, ?, ?, ?)',
      walletOf(order),
      gas.toString(),
      now,
      transactionId,
    )
  }

  /**
   * Returns the draws of a payout's wallet in the last 24 hours, except those of the payout's lost transaction and of
   * transactions that were mined before their turn.
   */
  before({ id, order }: Payout, now: number): GasDraw[] {
    return this.#sql
      .exec<{ at: number; gas: string }>(
        `SELECT at, gas FROM gas_draws
         WHERE wallet = ? AND at > ? AND transaction_id IS NOT (${LOST})
         AND NOT EXISTS (SELECT 1 FROM transactions WHERE id = transaction_id AND early = 1)`,
        walletOf(order),
        now - DAY_MS,
        id,
      )
      .toArray()
      .map(({ at, gas }) => ({ at, gas: BigInt(gas) }))
  }
}
