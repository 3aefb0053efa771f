import { invariant } from '../../src/core/invariant.ts'
import type { Backlog } from '../../src/health/facts.ts'
import type { VaultPayout } from '../../src/ledger/withdrawal.ts'
import { endOf, type PayoutProgress } from '../../src/relayer/payout-state.ts'
import {
  WASTES_GAS,
  type KnownWithdrawal,
  type Order,
  type OrderStep,
  type WithdrawalOrder,
} from '../../src/relayer/payout.ts'
import type { UnpaidOrder } from '../../src/relayer/unpaid.ts'
import { firstRow, hasRow } from '../kernel/rows.ts'
import type { Stored } from '../kernel/stored.ts'

/** An order, and how far it has been executed. */
export interface Payout extends PayoutProgress {
  id: string
  order: Order
  /** The last reported transaction; null if there was none. */
  reportedHash: string | null
  /** How long it was last postponed, in milliseconds. */
  pausedMs: number
}

/**
 * `asked_at` moves on when an order is postponed, `ordered_at` never does. `cause` is the reason for the latest
 * postponement, `closed_paid` the vault's payout with the nonce of a closed one. {@link PayoutProgress} describes
 * `refunded` and `booked`. `turns` holds when each wallet was last served.
 */
const TABLES = `
  CREATE TABLE payouts (
    id TEXT PRIMARY KEY,
    wallet TEXT NOT NULL,
    payout_order TEXT NOT NULL,
    step TEXT NOT NULL,
    state TEXT NOT NULL,
    version INTEGER NOT NULL,
    tx_hash TEXT,
    ordered_at INTEGER NOT NULL,
    asked_at INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    cause TEXT,
    closed_by TEXT,
    closed_paid TEXT,
    refunded INTEGER NOT NULL DEFAULT 0,
    booked INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX payouts_queued ON payouts (wallet, asked_at) WHERE state = 'queued';
  CREATE INDEX payouts_in_progress ON payouts (wallet) WHERE state IN ('queued', 'sent');
  CREATE TABLE turns (
    wallet TEXT PRIMARY KEY,
    served_at INTEGER NOT NULL
  ) STRICT;
`

/** The most transactions of one wallet that may be unmined at a time. */
const MAX_PER_WALLET = 4

/** Why an order was postponed. Callers see {@link WASTES_GAS} as `isResting`. */
type Cause = UnpaidOrder['cause'] | typeof WASTES_GAS

const ORDER_COLUMNS = 'id, payout_order AS "order", step, state'
const COLUMNS = `${ORDER_COLUMNS}, refunded AS isRefunded, booked AS isBooked, tx_hash AS reportedHash,
  due_at - asked_at AS pausedMs`

/** The relayer's orders. Every method runs in its caller's transaction. */
export class Payouts {
  readonly migration = { id: 'payouts', sql: TABLES }
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Stores an order unless it is known. */
  add(id: string, order: Order, step: OrderStep, at: number): void {
    this.#sql.exec(
      `INSERT INTO payouts
         (id, wallet, payout_order, step, state, version, ordered_at, asked_at, due_at)
       VALUES (?, ?, ?, ?, 'queued', 0, ?, ?, ?) ON CONFLICT DO NOTHING`,
      id,
      walletOf(order),
      JSON.stringify(order),
      step,
      at,
      at,
      at,
    )
  }

  get(id: string): Payout {
    const [payout] = this.#select(`SELECT ${COLUMNS} FROM payouts WHERE id = ?`, id)
    invariant(payout, `payout ${id} is known`)
    return payout
  }

  /**
   * Returns due payouts that need a transaction, wallets in turn: every wallet's first order precedes any
   * wallet's second, and among equals the longest wait since ordering or being served comes first. So neither
   * a wallet with many orders nor many new wallets hold up the others. A wallet with many unmined transactions waits.
   * Prizes that could not be paid come last.
   * @param steps those that may begin
   */
  queued(now: number, limit: number, steps: readonly OrderStep[]): Payout[] {
    return this.#select(
      `WITH in_flight AS (
         SELECT wallet, count(*) AS held FROM transactions JOIN payouts ON payouts.id = payout_id
         WHERE transactions.state <> 'closed' AND transactions.state = 'open' GROUP BY wallet
       ), waiting AS (
         SELECT id, wallet, payout_order, step, state, refunded, booked, tx_hash, asked_at, due_at, cause,
           row_number() OVER (PARTITION BY wallet ORDER BY asked_at) AS turn
         FROM payouts WHERE state = 'queued' AND due_at <= ?1
           AND step IN (SELECT value FROM json_each(?2))
       )
       SELECT ${COLUMNS} FROM waiting
         LEFT JOIN in_flight USING (wallet) LEFT JOIN turns USING (wallet)
       WHERE turn + coalesce(held, 0) <= ?3
       ORDER BY step = 'prize' AND cause IS NOT NULL, turn, max(asked_at, coalesce(served_at, 0)), asked_at LIMIT ?4`,
      now,
      JSON.stringify(steps),
      MAX_PER_WALLET,
      limit,
    )
  }

  /** Returns wallets with a withdrawal that is in progress, or whose latest report waits for their ledger. */
  walletsInProgress(): string[] {
    return this.#sql
      .exec<{ wallet: string }>(
        `SELECT wallet FROM payouts
         WHERE state IN ('queued', 'sent') AND step IN ('withdraw', 'burn')
         UNION SELECT payload ->> 'player' FROM outbox WHERE kind = 'status'`,
      )
      .toArray()
      .map(({ wallet }) => wallet)
  }

  /** Returns a wallet's withdrawals in the order of their nonces, with how they ended. Reads every order. */
  withdrawalsOf(wallet: string): KnownWithdrawal[] {
    return this.#sql
      .exec<Stored<Omit<KnownWithdrawal, 'outcome'>> & Pick<Payout, 'state'>>(
        `SELECT payout_order AS "order", state, tx_hash AS txHash, version, closed_by AS closedBy FROM payouts
         WHERE wallet = ? AND step IN ('withdraw', 'burn')
         ORDER BY payout_order ->> 'nonce'`,
        wallet,
      )
      .toArray()
      .map(({ order, state, ...rest }) => ({
        ...rest,
        order: JSON.parse(order) as WithdrawalOrder,
        outcome: endOf(state),
      }))
  }

  /**
   * Returns the orders in progress whose next step is one of these. A postponed order keeps its age. The age of an
   * order that rests because its wallet has wasted gas counts from the end of its rest.
   */
  waiting(steps: readonly OrderStep[], now: number): Backlog {
    return this.#sql
      .exec<{ count: number; oldestAt: number | null }>(
        `SELECT count(*) AS count, min(iif(since <= ?1, since, NULL)) AS oldestAt FROM (
           SELECT iif(cause IS '${WASTES_GAS}', due_at, ordered_at) AS since FROM payouts
           WHERE state IN ('queued', 'sent') AND step IN (SELECT value FROM json_each(?2))
         )`,
        now,
        JSON.stringify(steps),
      )
      .one()
  }

  hasQueued(): boolean {
    const queued = this.#sql.exec(`SELECT 1 FROM payouts WHERE state = 'queued' LIMIT 1`)
    return hasRow(queued)
  }

  /** Returns the orders that wait for payment or its confirmation, the oldest first. */
  unpaid(limit: number, now: number): UnpaidOrder[] {
    return this.#sql
      .exec<Stored<Omit<UnpaidOrder, 'isResting'>> & { isResting: number }>(
        `SELECT ${ORDER_COLUMNS}, ordered_at AS orderedAt, nullif(cause, '${WASTES_GAS}') AS cause,
           state = 'queued' AND cause IS '${WASTES_GAS}' AND due_at > ? AS isResting FROM payouts
         WHERE state IN ('queued', 'sent') AND step NOT IN ('record', 'cancel') ORDER BY ordered_at LIMIT ?`,
        now,
        limit,
      )
      .toArray()
      .map((row) => ({
        ...row,
        order: JSON.parse(row.order) as UnpaidOrder['order'],
        isResting: row.isResting === 1,
      }))
  }

  /** Moves a payout behind all other queued ones and postpones it until a time. */
  postpone(
    { id, order }: Payout,
    now: number,
    { dueAt = now, cause = null }: { dueAt?: number; cause?: Cause } = {},
  ): void {
    this.#sql.exec(
      'UPDATE payouts SET asked_at = ?, due_at = ?, cause = ? WHERE id = ?',
      now,
      dueAt,
      cause,
      id,
    )
    this.serve(order, now)
  }

  /** Records that a wallet had its turn. */
  serve(order: Order, now: number): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO turns (wallet, served_at) VALUES (?, ?)',
      walletOf(order),
      now,
    )
  }

  /** Returns the queued orders of a series. */
  queuedOf(idPrefix: string): Payout[] {
    return this.#select(
      `SELECT ${COLUMNS} FROM payouts WHERE state = 'queued' AND substr(id, 1, length(?1)) = ?1`,
      idPrefix,
    )
  }

  /** Returns the newest order of a series that has a transaction or had a successful one. */
  latestSent(idPrefix: string): Order | null {
    const [latest] = this.#select(
      `SELECT ${COLUMNS} FROM payouts
       WHERE id >= ?1 AND id < ?1 || '~' AND state IN ('sent', 'confirmed')
       ORDER BY asked_at DESC LIMIT 1`,
      idPrefix,
    )
    return latest?.order ?? null
  }

  /** Returns prizes in any state, after a given id and in order, with the objects that own their openings. */
  prizes(after: string, limit: number): { id: string; opening: string }[] {
    return this.#sql
      .exec<{ id: string; opening: string }>(
        `SELECT id, payout_order ->> 'opening' AS opening FROM payouts
         WHERE id > max(?, 'prize:') AND id < 'prize;' ORDER BY id LIMIT ?`,
        after,
        limit,
      )
      .toArray()
  }

  /** Stores how far a payout's order has been executed. */
  write(id: string, { step, state, isRefunded, isBooked }: PayoutProgress): void {
    this.#sql.exec(
      'UPDATE payouts SET step = ?, state = ?, refunded = ?, booked = ? WHERE id = ?',
      step,
      state,
      Number(isRefunded),
      Number(isBooked),
      id,
    )
  }

  /** Stores the operators' act that has closed a payout. @param paid the vault's payout with its nonce */
  noteAct(id: string, actId: string, paid: VaultPayout | null): void {
    this.#sql.exec(
      'UPDATE payouts SET closed_by = ?, closed_paid = ? WHERE id = ?',
      actId,
      JSON.stringify(paid),
      id,
    )
  }

  /** Returns the vault's payout with the nonce of a payout that an act closed; null if the act hasn't closed it. */
  closedBy(id: string, actId: string): { paid: VaultPayout | null } | null {
    const closed = firstRow(
      this.#sql.exec<{ paid: string }>(
        `SELECT closed_paid AS paid FROM payouts
         WHERE id = ? AND closed_by = ? AND closed_paid IS NOT NULL`,
        id,
        actId,
      ),
    )
    return closed ? { paid: JSON.parse(closed.paid) as VaultPayout | null } : null
  }

  /**
   * Records a payout's report and returns its message number. The number is at least the time, so messages
   * are newer than the ledger's even after this object is restored to an earlier state.
   */
  recordReport(id: string, txHash: string | null, now: number): number {
    return this.#sql
      .exec<{ version: number }>(
        `UPDATE payouts SET version = max(version + 1, ?), tx_hash = ? WHERE id = ?
         RETURNING version`,
        now,
        txHash,
        id,
      )
      .one().version
  }

  #select(query: string, ...bindings: (string | number | null)[]): Payout[] {
    return this.#sql
      .exec<Stored<Payout>>(query, ...bindings)
      .toArray()
      .map((row) => ({
        ...row,
        order: JSON.parse(row.order) as Order,
        isRefunded: row.isRefunded === 1,
        isBooked: row.isBooked === 1,
      }))
  }
}

/** Returns the id of a withdrawal. */
export function withdrawalId({ vaultId, player, nonce }: WithdrawalOrder): string {
  return `${vaultId}:${player}:${nonce}`
}

/** Returns the wallet whose turn an order takes. The house's own orders share one turn. */
export function walletOf(order: Order): string {
  switch (order.kind) {
    case 'withdrawal':
      return order.player
    case 'prize':
      return order.to
    case 'result':
    case 'cancel':
      return ''
  }
}
