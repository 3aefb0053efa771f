import type { Address, Hash, Hex } from 'viem'
import type { Receipt, SignedTransaction } from '../../src/chain/sender.ts'
import { invariant } from '../../src/invariant.ts'
import type { Progress, WithdrawalStatus } from '../../src/ledger/withdrawal.ts'
import type { OrderStep, PayoutOrder, ResultOrder } from '../../src/relayer/payout.ts'
import type { PrizeOrder } from '../../src/relayer/prize.ts'
import type { OutboxMessage } from '../kernel/outbox.ts'

/** A withdrawal or a prize to be paid, or a result to be recorded. `queued` needs a transaction for its step; `sent` has one. */
export interface Payout {
  id: string
  order: PayoutOrder | ResultOrder | PrizeOrder
  step: OrderStep
  state: 'queued' | 'sent' | 'confirmed' | 'failed'
  /** Counts what its ledger has been told. */
  version: number
}

/** One nonce of an account of the relayer and what it was used for. */
export interface Transaction {
  id: number
  /** Who signed: the configured account, or an earlier one whose key is no longer here. */
  account: Address
  nonce: number
  payoutId: string
  gas: bigint
  /** `open` until confirmed; `mined` is watched for some time; `closed` is not looked at again. */
  state: 'open' | 'mined' | 'closed'
  /** How it ended, as {@link endOf} puts it. */
  end: string | null
  minedAt: number | null
}

/** A transaction's end as text: mined again after a reorganisation, the same one can end otherwise. */
export function endOf({ hash, isSuccess }: Pick<Receipt, 'hash' | 'isSuccess'>): string {
  return `${hash} ${isSuccess ? 'success' : 'reverted'}`
}

/** One signed form of a transaction: each replacement is another. */
export interface Attempt extends SignedTransaction {
  step: OrderStep
  signedAt: number
}

export const RELAYER_MIGRATION = `
  CREATE TABLE payouts (
    id TEXT PRIMARY KEY,
    payout_order TEXT NOT NULL,
    step TEXT NOT NULL,
    state TEXT NOT NULL,
    version INTEGER NOT NULL,
    asked_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX payouts_queued ON payouts (asked_at) WHERE state = 'queued';
  CREATE TABLE transactions (
    id INTEGER PRIMARY KEY,
    account TEXT NOT NULL,
    nonce INTEGER NOT NULL,
    payout_id TEXT NOT NULL,
    gas TEXT NOT NULL,
    state TEXT NOT NULL,
    mined_end TEXT,
    mined_at INTEGER,
    UNIQUE (account, nonce)
  ) STRICT;
  CREATE INDEX transactions_watched ON transactions (state, id) WHERE state <> 'closed';
  CREATE TABLE attempts (
    hash TEXT PRIMARY KEY,
    transaction_id INTEGER NOT NULL,
    step TEXT NOT NULL,
    raw TEXT NOT NULL,
    max_fee TEXT NOT NULL,
    max_priority_fee TEXT NOT NULL,
    signed_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX attempts_of_transaction ON attempts (transaction_id, signed_at);
`

export const WASTED_MIGRATION = `
  CREATE INDEX transactions_of_payout ON transactions (payout_id);
`

type PayoutRow = { id: string; payout_order: string; step: string; state: string; version: number }
type TransactionRow = {
  id: number
  account: string
  nonce: number
  payout_id: string
  gas: string
  state: string
  mined_end: string | null
  mined_at: number | null
}
type AttemptRow = {
  hash: string
  step: string
  raw: string
  max_fee: string
  max_priority_fee: string
  signed_at: number
}

/** What the relayer has been asked, signed and seen. Every method runs in its caller's transaction. */
export class RelayerStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Notes an order unless it is known. */
  add(id: string, order: Payout['order'], step: OrderStep, at: number): void {
    this.#sql.exec(
      `INSERT INTO payouts (id, payout_order, step, state, version, asked_at)
       VALUES (?, ?, ?, 'queued', 0, ?) ON CONFLICT DO NOTHING`,
      id,
      JSON.stringify(order),
      step,
      at,
    )
  }

  payout(id: string): Payout {
    const [payout] = this.#payouts('WHERE id = ?', id)
    invariant(payout, `payout ${id} is known`)
    return payout
  }

  /** Prizes of any state, with the names of the objects that own their openings. */
  prizes(after: string, limit: number): { id: string; opening: string }[] {
    return this.#sql
      .exec<{ id: string; opening: string }>(
        `SELECT id, payout_order ->> 'opening' AS opening FROM payouts
         WHERE id > max(?, 'prize:') AND id < 'prize;' ORDER BY id LIMIT ?`,
        ...[after, limit],
      )
      .toArray()
  }

  /** What needs a transaction: players' own money first, since prizes may be owed for long. */
  queued(limit: number): Payout[] {
    return this.#payouts(`WHERE state = 'queued' ORDER BY step = 'prize', asked_at LIMIT ?`, limit)
  }

  /** Puts a payout behind all others of its sort that are queued. */
  postpone(id: string, now: number): void {
    this.#sql.exec('UPDATE payouts SET asked_at = ? WHERE id = ?', now, id)
  }

  /** Drops what waits in a series of which only the latest counts. */
  dropQueued(idPrefix: string): void {
    this.#sql.exec(
      `UPDATE payouts SET state = 'failed' WHERE state = 'queued' AND substr(id, 1, length(?1)) = ?1`,
      idPrefix,
    )
  }

  setPayout(id: string, step: OrderStep, state: Payout['state']): void {
    this.#sql.exec('UPDATE payouts SET step = ?, state = ? WHERE id = ?', step, state, id)
  }

  /** The number of the next message to the payout's ledger. */
  nextVersion(id: string): number {
    return this.#sql
      .exec<{ version: number }>(
        'UPDATE payouts SET version = version + 1 WHERE id = ? RETURNING version',
        id,
      )
      .one().version
  }

  /** The lowest nonce of an account that nothing has been signed for. */
  nextNonce(account: Address): number {
    return this.#sql
      .exec<{ next: number }>(
        'SELECT coalesce(max(nonce) + 1, 0) AS next FROM transactions WHERE account = ?',
        account,
      )
      .one().next
  }

  /** Returns its id. */
  addTransaction(account: Address, nonce: number, payoutId: string, gas: bigint): number {
    return this.#sql
      .exec<{ id: number }>(
        `INSERT INTO transactions (account, nonce, payout_id, gas, state)
         VALUES (?, ?, ?, ?, 'open') RETURNING id`,
        ...[account, nonce, payoutId, gas.toString()],
      )
      .one().id
  }

  setTransaction(
    id: number,
    state: Transaction['state'],
    mined: { end: string; at: number } | null,
  ): void {
    this.#sql.exec(
      'UPDATE transactions SET state = ?, mined_end = ?, mined_at = ? WHERE id = ?',
      state,
      mined?.end ?? null,
      mined?.at ?? null,
      id,
    )
  }

  /** Nothing can happen to it any more. */
  close(id: number): void {
    this.#sql.exec(`UPDATE transactions SET state = 'closed' WHERE id = ?`, id)
  }

  /** How many transactions of some payouts were for nothing, and when the latest was seen to be. */
  wasted(payoutIdPrefix: string): { count: number; latestAt: number } {
    return this.#sql
      .exec<{ count: number; latestAt: number }>(
        `SELECT count(*) AS count, coalesce(max(mined_at), 0) AS latestAt FROM transactions
         WHERE payout_id >= ?1 AND payout_id < ?1 || '~' AND (mined_end LIKE '% reverted' OR EXISTS
         (SELECT 1 FROM attempts WHERE transaction_id = transactions.id AND step = 'burn'))`,
        payoutIdPrefix,
      )
      .one()
  }

  /** Transactions that are not confirmed yet. */
  open(): Transaction[] {
    return this.#transactions(`state = 'open' ORDER BY id`)
  }

  /** Confirmed transactions that the chain may still take back, the oldest of them. */
  mined(limit: number): Transaction[] {
    return this.#transactions(`state = 'mined' ORDER BY id LIMIT ?`, limit)
  }

  addAttempt(transactionId: number, attempt: Attempt): void {
    this.#sql.exec(
      `INSERT INTO attempts (hash, transaction_id, step, raw, max_fee, max_priority_fee, signed_at)
       VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      attempt.hash,
      transactionId,
      attempt.step,
      attempt.raw,
      attempt.maxFeePerGas.toString(),
      attempt.maxPriorityFeePerGas.toString(),
      attempt.signedAt,
    )
  }

  /** Every signed form of a transaction, the latest first. */
  attempts(transactionId: number): Attempt[] {
    return this.#sql
      .exec<AttemptRow>(
        'SELECT * FROM attempts WHERE transaction_id = ? ORDER BY signed_at DESC, rowid DESC',
        transactionId,
      )
      .toArray()
      .map((row) => ({
        hash: row.hash as Hash,
        step: row.step as OrderStep,
        raw: row.raw as Hex,
        maxFeePerGas: BigInt(row.max_fee),
        maxPriorityFeePerGas: BigInt(row.max_priority_fee),
        signedAt: row.signed_at,
      }))
  }

  /** The condition says what the index does: without it every transaction that ever was is read. */
  #transactions(where: string, ...bindings: number[]): Transaction[] {
    return this.#sql
      .exec<TransactionRow>(
        `SELECT * FROM transactions WHERE state <> 'closed' AND ${where}`,
        ...bindings,
      )
      .toArray()
      .map((row) => ({
        id: row.id,
        account: row.account as Address,
        nonce: row.nonce,
        payoutId: row.payout_id,
        gas: BigInt(row.gas),
        state: row.state as Transaction['state'],
        end: row.mined_end,
        minedAt: row.mined_at,
      }))
  }

  #payouts(where: string, ...bindings: (string | number)[]): Payout[] {
    return this.#sql
      .exec<PayoutRow>(
        `SELECT id, payout_order, step, state, version FROM payouts ${where}`,
        ...bindings,
      )
      .toArray()
      .map((row) => ({
        id: row.id,
        order: JSON.parse(row.payout_order) as Payout['order'],
        step: row.step as OrderStep,
        state: row.state as Payout['state'],
        version: row.version,
      }))
  }
}

/** A message to a ledger about one of its withdrawals. */
export interface StatusMessage {
  player: string
  vaultId: string
  nonce: number
  status: WithdrawalStatus
  txHash: string | null
  version: number
}

/** A message to a payment about the prize of its opening. */
export interface PrizeMessage {
  opening: string
  isPaid: boolean
  /** Null where another transaction has paid it. */
  txHash: string | null
  version: number
}

/** What whoever gave an order is told; null where it is nobody's news. */
export function newsOf(
  order: Payout['order'],
  { status, txHash, version }: Progress,
): OutboxMessage | null {
  if ('prizeId' in order) {
    const isPaid = status === 'confirmed'
    const message: PrizeMessage = { opening: order.opening, isPaid, txHash, version }
    return { kind: 'prize', payload: JSON.stringify(message) }
  }
  if (!('player' in order)) return null
  const { player, vaultId, nonce } = order
  const message: StatusMessage = { player, vaultId, nonce, status, txHash, version }
  return { kind: 'status', payload: JSON.stringify(message) }
}
