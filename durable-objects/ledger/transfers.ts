import { invariant } from '../../src/invariant.ts'
import {
  checkChips,
  creditAbove,
  reversal,
  rollbackText,
  rolledBack,
  transactionText,
  transferKey,
  transferPostings,
  usedOtherwise,
  type Rollback,
  type Transaction,
  type TransferAnswer,
  type TransferOrder,
} from '../../src/ledger/transfer.ts'
import type { Token } from '../../src/money/token.ts'
import { partnerLimit } from '../../src/objects.ts'
import type { Refusal } from '../../src/refusal.ts'
import { dayAt } from '../../src/wallet-bridge/allowance.ts'
import { transferBody } from '../../src/wallet-bridge/answers.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Books } from './books.ts'

/**
 * `undone` names the transactions that were rolled back, some of them before they came. What a partner
 * has debited on a day is counted here; `told` is as much of it as its limit has heard of.
 */
export const TRANSFERS_MIGRATION = `
  CREATE TABLE undone (
    partner TEXT NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (partner, id)
  ) STRICT;
  CREATE TABLE debits (
    partner TEXT NOT NULL,
    token TEXT NOT NULL,
    day INTEGER NOT NULL,
    amount_wei TEXT NOT NULL,
    told_wei TEXT NOT NULL,
    PRIMARY KEY (partner, token, day)
  ) STRICT;
`

type DebitRow = {
  partner: string
  token: string
  day: number
  amount_wei: string
  told_wei: string
}

/** What partners move between a player's chips and their own account. */
export class Transfers {
  readonly #sql: SqlStorage
  readonly #env: Env
  readonly #wallet: () => string
  readonly #books: Books
  readonly #clock: Clock
  readonly #refill: () => Promise<void>

  /** @param refill brings in chips that are on their way: deposits, and bets that may be won */
  constructor(
    sql: SqlStorage,
    parts: {
      env: Env
      wallet: () => string
      books: Books
      clock: Clock
      refill: () => Promise<void>
    },
  ) {
    this.#sql = sql
    this.#env = parts.env
    this.#wallet = parts.wallet
    this.#books = parts.books
    this.#clock = parts.clock
    this.#refill = parts.refill
  }

  /** Debits or credits the player, once. What was answered first is answered always. */
  async transact(transaction: Transaction): Promise<TransferAnswer> {
    const request = transactionText(transaction)
    const known = this.#known(transaction, request)
    if (known) return known
    const { id, partner, token, amountWei } = transaction
    const isUndone = this.#isUndone(partner, id)
    const refusal = isUndone ? null : await this.#prepare(transaction)
    // Others may have come while this one waited.
    return (
      this.#known(transaction, request) ??
      this.#record(transaction, request, amountWei, () =>
        this.#isUndone(partner, id)
          ? rolledBack(id)
          : (refusal ?? checkChips(token, amountWei, this.#chips(token))),
      )
    )
  }

  /** Undoes a transaction, once, or makes sure that it never will be done. */
  async rollback(rollback: Rollback): Promise<TransferAnswer> {
    const request = rollbackText(rollback)
    const known = this.#known(rollback, request)
    if (known) return known
    const { id, partner, token } = rollback
    const planned = this.#reversal(rollback)
    if (planned > 0n) await this.#reserve(rollback, id, planned, null)
    else if (this.#chips(token) + planned < 0n) await this.#refill()
    // A transaction that comes meanwhile finds itself undone only if this comes first: no waiting here.
    const amountWei = this.#reversal(rollback)
    invariant(amountWei === planned || amountWei === 0n, 'a rollback undoes what it planned to')
    return (
      this.#known(rollback, request) ??
      this.#record(
        rollback,
        request,
        amountWei,
        () => checkChips(token, amountWei, this.#chips(token)),
        () => this.#undo(partner, rollback.originalId),
      )
    )
  }

  /** Tells partners' limits what was debited since they heard last, and forgets days long over. */
  async tellDebits(): Promise<void> {
    const today = dayAt(this.#clock.now())
    const rows = this.#sql
      .exec<DebitRow>('SELECT * FROM debits WHERE amount_wei <> told_wei OR day < ?', today - 1)
      .toArray()
    await Promise.all(
      rows.map(async ({ partner, token, day, amount_wei: amountWei, told_wei: toldWei }) => {
        if (day >= today - 1 && amountWei !== toldWei) {
          await partnerLimit(this.#env, partner).debited({
            wallet: this.#wallet(),
            token: token as Token,
            day,
            debitedWei: BigInt(amountWei),
          })
        }
        this.#sql.exec(
          'UPDATE debits SET told_wei = ? WHERE partner = ? AND token = ? AND day = ?',
          ...[amountWei, partner, token, day],
        )
      }),
    )
    this.#sql.exec('DELETE FROM debits WHERE day < ?', today - 1)
  }

  /** What a transaction has to wait for: leave to credit, or chips that are on their way. */
  async #prepare(transaction: Transaction): Promise<Refusal | null> {
    const { id, token, amountWei, limits } = transaction
    if (amountWei > limits.transactionWei) return creditAbove(limits.transactionWei)
    if (amountWei > 0n) return this.#reserve(transaction, id, amountWei, limits.dayWei)
    if (this.#chips(token) + amountWei < 0n) await this.#refill()
    return null
  }

  /** Asks the partner's limit for a credit. @param limitWei null for one that may not be refused */
  async #reserve(
    { partner, token }: TransferOrder,
    id: string,
    amountWei: bigint,
    limitWei: bigint | null,
  ): Promise<Refusal | null> {
    const day = dayAt(this.#clock.now())
    const { isGranted, leftWei } = await partnerLimit(this.#env, partner).reserve({
      id,
      wallet: this.#wallet(),
      token,
      day,
      amountWei,
      debitedWei: this.#debited(partner, token, day),
      limitWei,
    })
    return isGranted ? null : creditAbove(leftWei)
  }

  #known(order: TransferOrder, request: string): TransferAnswer | null {
    const stored = this.#books.operations.stored<TransferAnswer>(
      transferKey(order.partner, order.id),
    )
    if (!stored) return null
    return stored.request === request ? stored.result : usedOtherwise(order.id)
  }

  /** Decides and writes, in one transaction: what moves, what is answered, and what else follows. */
  #record(
    { partner, id, token }: TransferOrder,
    request: string,
    amountWei: bigint,
    check: () => Refusal | null,
    follow: () => void = () => {},
  ): TransferAnswer {
    const at = this.#clock.now()
    const refusal = check()
    const beforeWei = this.#chips(token)
    const movedWei = refusal ? 0n : amountWei
    const movement = { token, beforeWei, afterWei: beforeWei + movedWei }
    const result: TransferAnswer = refusal ?? { ok: true, body: transferBody(id, movement) }
    return this.#books.commit(at, () => {
      const postings = transferPostings(token, movedWei)
      this.#books.operations.record(
        { id: transferKey(partner, id), request, at },
        { postings, result },
      )
      if (movedWei < 0n) this.#addDebit(partner, token, dayAt(at), -movedWei)
      if (!refusal) follow()
      return result
    })
  }

  #reversal({ partner, originalId }: Rollback): bigint {
    const original = this.#books.operations.stored<TransferAnswer>(transferKey(partner, originalId))
    return reversal(original, this.#isUndone(partner, originalId))
  }

  #isUndone(partner: string, id: string): boolean {
    const rows = this.#sql.exec('SELECT 1 FROM undone WHERE partner = ? AND id = ?', partner, id)
    return rows.toArray().length > 0
  }

  #undo(partner: string, id: string): void {
    this.#sql.exec('INSERT OR IGNORE INTO undone VALUES (?, ?)', partner, id)
  }

  #debited(partner: string, token: Token, day: number): bigint {
    const [row] = this.#sql
      .exec<{ amount_wei: string }>(
        'SELECT amount_wei FROM debits WHERE partner = ? AND token = ? AND day = ?',
        ...[partner, token, day],
      )
      .toArray()
    return BigInt(row?.amount_wei ?? 0)
  }

  #addDebit(partner: string, token: Token, day: number, amountWei: bigint): void {
    const debited = this.#debited(partner, token, day) + amountWei
    this.#sql.exec(
      `INSERT INTO debits VALUES (?, ?, ?, ?, '0')
       ON CONFLICT DO UPDATE SET amount_wei = excluded.amount_wei`,
      ...[partner, token, day, debited.toString()],
    )
  }

  #chips(token: Token): bigint {
    return this.#books.operations.balances()[token].chips
  }
}
