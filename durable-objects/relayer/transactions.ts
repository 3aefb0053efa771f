import type { Address, Hash } from 'viem'
import type { ChainReceipt, SignedTransaction } from '../../src/chain/sender.ts'
import { max } from '../../src/core/bigint.ts'
import type { OrderStep } from '../../src/relayer/payout.ts'
import { hasRow } from '../kernel/rows.ts'
import type { Stored } from '../kernel/stored.ts'

/** One nonce of a relayer account and its use. */
export interface Transaction {
  id: number
  /** The signing account: the configured one, or an earlier one whose key has been removed. */
  account: Address
  nonce: number
  payoutId: string
  gas: bigint
  /**
   * `open` is not known to be mined; `mined` is in a block; `confirmed` is still watched for a
   * reorganisation; `closed` is not checked again.
   */
  state: 'open' | 'mined' | 'confirmed' | 'closed'
  /** The block it was last seen in; null while it is open. */
  block: number | null
  /** How it ended; null until it is confirmed. A reorganisation can change it. */
  outcome: Outcome | null
  endedAt: number | null
}

/** Which attempt was mined, and whether its call succeeded. */
type Outcome = Pick<ChainReceipt, 'hash' | 'isSuccess'>

/** Returns whether a transaction is known to have ended as a receipt shows. */
export function isOutcome(known: Outcome | null, { hash, isSuccess }: Outcome): boolean {
  return known !== null && known.hash === hash && known.isSuccess === isSuccess
}

/** One signed version of a transaction; each replacement is another. */
export interface Attempt extends SignedTransaction {
  step: OrderStep
  signedAt: number
  /** The newest block's number when it was signed. */
  head: number
}

/**
 * `mined_hash` and `is_success` say how a confirmed transaction ended. `early` tells whether a withdrawal's transaction
 * failed because it was not its turn: its wallet's code was never called.
 */
const TABLES = `
  CREATE TABLE transactions (
    id INTEGER PRIMARY KEY,
    account TEXT NOT NULL,
    nonce INTEGER NOT NULL,
    payout_id TEXT NOT NULL,
    gas TEXT NOT NULL,
    state TEXT NOT NULL,
    block INTEGER,
    mined_hash TEXT,
    is_success INTEGER,
    ended_at INTEGER,
    cost_wei TEXT,
    early INTEGER NOT NULL DEFAULT 0,
    UNIQUE (account, nonce)
  ) STRICT;
  CREATE INDEX transactions_by_end ON transactions (ended_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX transactions_watched ON transactions (state, id) WHERE state <> 'closed';
  CREATE INDEX transactions_of_payout ON transactions (payout_id);
  CREATE TABLE attempts (
    hash TEXT PRIMARY KEY,
    transaction_id INTEGER NOT NULL,
    step TEXT NOT NULL,
    raw TEXT NOT NULL,
    max_fee TEXT NOT NULL,
    max_priority_fee TEXT NOT NULL,
    signed_at INTEGER NOT NULL,
    head INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX attempts_of_transaction ON attempts (transaction_id, signed_at);
`

/** Nonces that are looked at together. */
const MAX_UNWATCHED = 100

/** The relayer's signed transactions and their states. Every method runs in its caller's transaction. */
export class Transactions {
  readonly migration = { id: 'transactions', sql: TABLES }
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Returns an account's lowest nonce that no signed transaction uses. */
  nextNonce(account: Address): number {
    return this.#sql
      .exec<{ next: number }>(
        'SELECT coalesce(max(nonce) + 1, 0) AS next FROM transactions WHERE account = ?',
        account,
      )
      .one().next
  }

  /**
   * Returns an account's nonces, from a given one on, whose transactions are not watched. Each comes with its
   * transaction's id; null if none was signed. Leaves out transactions seen in blocks after the head, which a node that
   * is behind doesn't know.
   */
  unwatched(account: Address, from: number, head: number): { nonce: number; id: number | null }[] {
    const signed = this.#sql
      .exec<{ nonce: number; id: number; isWatched: number }>(
        `SELECT nonce, id, state <> 'closed' OR coalesce(block, 0) > ? AS isWatched
         FROM transactions WHERE account = ? AND nonce >= ? ORDER BY nonce LIMIT ${MAX_UNWATCHED}`,
        head,
        account,
        from,
      )
      .toArray()
    const byNonce = new Map(signed.map((transaction) => [transaction.nonce, transaction]))
    const end = Math.min((signed.at(-1)?.nonce ?? from - 1) + 1, from + MAX_UNWATCHED)
    return Array.from({ length: end - from }, (_, index) => from + index)
      .filter((nonce) => !byNonce.get(nonce)?.isWatched)
      .map((nonce) => ({ nonce, id: byNonce.get(nonce)?.id ?? null }))
  }

  /** Stores a new transaction and returns its id. */
  add(account: Address, nonce: number, payoutId: string, gas: bigint): number {
    return this.#sql
      .exec<{ id: number }>(
        `INSERT INTO transactions (account, nonce, payout_id, gas, state)
         VALUES (?, ?, ?, ?, 'open') RETURNING id`,
        account,
        nonce,
        payoutId,
        gas.toString(),
      )
      .one().id
  }

  /** Marks a transaction as unmined, or no longer mined. */
  setOpen(id: number): void {
    this.#sql.exec(
      `UPDATE transactions SET state = 'open', block = NULL, mined_hash = NULL, is_success = NULL,
         ended_at = NULL, cost_wei = NULL WHERE id = ?`,
      id,
    )
  }

  /** Marks a transaction as mined in an unconfirmed block. */
  setMined(id: number, block: number): void {
    this.#sql.exec(`UPDATE transactions SET state = 'mined', block = ? WHERE id = ?`, block, id)
  }

  /** @param isOutOfTurn whether it failed because it was not its turn; undefined if that was recorded before */
  setConfirmed(id: number, receipt: ChainReceipt, at: number, isOutOfTurn?: boolean): void {
    this.#sql.exec(
      `UPDATE transactions SET state = 'confirmed', block = ?, mined_hash = ?, is_success = ?, ended_at = ?,
         cost_wei = ?, early = coalesce(?, early) WHERE id = ?`,
      receipt.block,
      receipt.hash,
      Number(receipt.isSuccess),
      at,
      receipt.costWei.toString(),
      isOutOfTurn === undefined ? null : Number(isOutOfTurn),
      id,
    )
  }

  /** Marks a transaction as final. */
  close(id: number): void {
    this.#sql.exec(`UPDATE transactions SET state = 'closed' WHERE id = ?`, id)
  }

  /** Returns the cost of gas of the transactions confirmed from a time until another, in wei. */
  gasSpent(from: number, to: number): bigint {
    return this.#sql
      .exec<{ costWei: string }>(
        `SELECT cost_wei AS costWei FROM transactions
         WHERE ended_at >= ? AND ended_at < ? AND cost_wei IS NOT NULL`,
        from,
        to,
      )
      .toArray()
      .reduce((sum, { costWei }) => sum + BigInt(costWei), 0n)
  }

  /**
   * Returns how many transactions of some payouts failed after a time, and when the latest was seen to fail. Those that
   * came before their turn cost little gas, and their wallets can do nothing about it.
   * @param of `sent` leaves out burns of payouts that were refused before anything was sent: not only by a wallet's
   * code, but also by a paused token
   */
  wasted(
    payoutIdPrefix: string,
    since: number,
    of: 'sent' | 'all',
  ): { count: number; latestAt: number } {
    return this.#sql
      .exec<{ count: number; latestAt: number }>(
        `SELECT count(*) AS count, coalesce(max(ended_at), 0) AS latestAt FROM transactions
         WHERE payout_id >= ?1 AND payout_id < ?1 || '~' AND early = 0 AND (is_success = 0 OR EXISTS
         (SELECT 1 FROM attempts WHERE transaction_id = transactions.id AND step = 'burn'))
         AND (?3 = 'all' OR EXISTS (SELECT 1 FROM transactions AS sent
           WHERE sent.payout_id = transactions.payout_id AND sent.early = 0 AND sent.is_success = 0))
         AND coalesce(ended_at, (SELECT max(signed_at) FROM attempts WHERE transaction_id = transactions.id)) > ?2`,
        payoutIdPrefix,
        since,
        of,
      )
      .one()
  }

  /** Returns the unmined transactions. */
  open(): Transaction[] {
    return this.#select(`state = 'open' ORDER BY id`)
  }

  /** Returns the most that an account's unmined transactions may cost, in wei. */
  heldWei(account: Address): bigint {
    // Both conditions, because the index has only transactions that aren't closed.
    const rows = this.#sql.exec<{ id: number; gas: string; maxFee: string }>(
      `SELECT transactions.id, gas, max_fee AS maxFee
       FROM transactions JOIN attempts ON transaction_id = transactions.id
       WHERE state <> 'closed' AND state = 'open' AND account = ?`,
      account,
    )
    const dearest = new Map<number, bigint>()
    for (const { id, gas, maxFee } of rows) {
      dearest.set(id, max(dearest.get(id) ?? 0n, BigInt(gas) * BigInt(maxFee)))
    }
    return [...dearest.values()].reduce((sum, costWei) => sum + costWei, 0n)
  }

  /** Returns the transactions awaiting confirmations in a block up to this one. */
  mined(upToBlock: number): Transaction[] {
    return this.#select(`state = 'mined' AND block <= ? ORDER BY id`, upToBlock)
  }

  /** Returns the oldest confirmed transactions that the chain may still drop. */
  confirmed(limit: number): Transaction[] {
    return this.#select(`state = 'confirmed' ORDER BY id LIMIT ?`, limit)
  }

  /** Returns whether any transaction is in this state. */
  hasAny(state: 'open' | 'mined' | 'confirmed'): boolean {
    const found = this.#sql.exec(
      `SELECT 1 FROM transactions WHERE state <> 'closed' AND state = ? LIMIT 1`,
      state,
    )
    return hasRow(found)
  }

  /** Returns whether a payout has another transaction that may be mined, awaits confirmation, or has succeeded. */
  hasAnother(payoutId: string, id: number): boolean {
    const query = `SELECT 1 FROM transactions
      WHERE payout_id = ? AND id <> ? AND (state IN ('open', 'mined') OR is_success = 1) LIMIT 1`
    return hasRow(this.#sql.exec(query, payoutId, id))
  }

  /** Returns whether a payout has a transaction that is still followed. */
  hasWatched(payoutId: string): boolean {
    const query = `SELECT 1 FROM transactions WHERE payout_id = ? AND state <> 'closed' LIMIT 1`
    return hasRow(this.#sql.exec(query, payoutId))
  }

  addAttempt(transactionId: number, attempt: Attempt): void {
    this.#sql.exec(
      `INSERT INTO attempts
         (hash, transaction_id, step, raw, max_fee, max_priority_fee, signed_at, head)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      attempt.hash,
      transactionId,
      attempt.step,
      attempt.raw,
      attempt.maxFeePerGas.toString(),
      attempt.maxPriorityFeePerGas.toString(),
      attempt.signedAt,
      attempt.head,
    )
  }

  /** Returns every signed version of a transaction, latest first. */
  attempts(transactionId: number): Attempt[] {
    return this.#sql
      .exec<Stored<Attempt>>(
        `SELECT hash, step, raw, max_fee AS maxFeePerGas, max_priority_fee AS maxPriorityFeePerGas,
           signed_at AS signedAt, head FROM attempts
         WHERE transaction_id = ? ORDER BY signed_at DESC, rowid DESC`,
        transactionId,
      )
      .toArray()
      .map((row) => ({
        ...row,
        maxFeePerGas: BigInt(row.maxFeePerGas),
        maxPriorityFeePerGas: BigInt(row.maxPriorityFeePerGas),
      }))
  }

  /** Repeats the condition of the index. Without it, the query would read every past transaction. */
  #select(where: string, ...bindings: number[]): Transaction[] {
    return this.#sql
      .exec<Stored<Omit<Transaction, 'outcome'>> & { hash: Hash | null; isSuccess: number | null }>(
        `SELECT id, account, nonce, payout_id AS payoutId, gas, state, block, mined_hash AS hash,
           is_success AS isSuccess, ended_at AS endedAt FROM transactions
         WHERE state <> 'closed' AND ${where}`,
        ...bindings,
      )
      .toArray()
      .map(({ hash, isSuccess, ...row }) => ({
        ...row,
        gas: BigInt(row.gas),
        outcome: hash === null ? null : { hash, isSuccess: isSuccess === 1 },
      }))
  }
}
