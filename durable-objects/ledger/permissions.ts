import type { Refusal } from '../../src/core/refusal.ts'
import { ledgerFull } from '../../src/ledger/capacity.ts'
import {
  checkGrant,
  DAY_MINUTES,
  HOUR_MINUTES,
  type Grant,
  type Permission,
  type Permit,
  type RecentDebits,
} from '../../src/ledger/permission.ts'
import { logEvent } from '../../src/log.ts'
import type { Token } from '../../src/money/token.ts'
import type { Books, LedgerPart } from './books.ts'

/**
 * One permission for each partner and token; limit and expiry are null once it is revoked. Debits are
 * totalled by the minute, which bounds the rows of a window however many debits there are.
 */
const TABLES = `
  CREATE TABLE permissions (
    partner TEXT NOT NULL,
    token TEXT NOT NULL,
    nonce INTEGER NOT NULL,
    max_per_day_wei TEXT,
    expires_at INTEGER,
    PRIMARY KEY (partner, token)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE recent_debits (
    partner TEXT NOT NULL,
    token TEXT NOT NULL,
    minute INTEGER NOT NULL,
    amount_wei TEXT NOT NULL,
    PRIMARY KEY (partner, token, minute)
  ) STRICT, WITHOUT ROWID;
`

const MINUTE_MS = 60_000

type PermissionRow = { nonce: number; max: string | null; expiresAt: number | null }

/** The player's permissions for partners' debits, and the recent debits. */
export class Permissions implements LedgerPart {
  readonly migration = { id: 'permissions', sql: TABLES }
  readonly #sql: SqlStorage
  readonly #books: Books

  constructor(books: Books) {
    this.#sql = books.storage.sql
    this.#books = books
  }

  /** Returns a partner's permission in a token, in its answer's form. A wallet without books permits nothing. */
  find(partner: string, token: Token): Permission {
    const { nonce, max, expiresAt } = this.#row(partner, token)
    const usedWei = this.#books.isOpen ? this.recent(partner, token).dayWei : 0n
    return {
      partner,
      token,
      nonce,
      maxPerDayWei: max ?? '0',
      expiresAt,
      usedWei: usedWei.toString(),
    }
  }

  /** Returns the last permission granted and not revoked. It may have expired. */
  permit(partner: string, token: Token): Permit | null {
    const { max, expiresAt } = this.#row(partner, token)
    return max === null || expiresAt === null ? null : { maxPerDayWei: BigInt(max), expiresAt }
  }

  /** Records a signed permission in place of any earlier one. */
  grant(grant: Grant): Permission | Refusal {
    const { partner, token, maxPerDayWei, expiresAt, nonce, signature } = grant
    const refusal = checkGrant(grant, this.#row(partner, token).nonce)
    if (refusal) return refusal
    if (this.#books.isFull) return ledgerFull()
    const max = maxPerDayWei.toString()
    this.#change(partner, token, ['grant', max, expiresAt, signature], { max, expiresAt })
    logEvent('permission_granted', {
      ...{ wallet: this.#books.wallet, partner, token, nonce, maxPerDayWei: max, expiresAt },
    })
    return this.find(partner, token)
  }

  /** Revokes a permission. Also invalidates a signed one not yet granted, because the nonce rises. */
  revoke(partner: string, token: Token): Permission {
    const { nonce } = this.#row(partner, token)
    this.#change(partner, token, ['revoke'], { max: null, expiresAt: null })
    logEvent('permission_revoked', { wallet: this.#books.wallet, partner, token, nonce })
    return this.find(partner, token)
  }

  /**
   * Returns a partner's debits within the last hour and the last 24 hours. A debit is dated to the end of
   * its minute, so it counts for up to a minute longer.
   */
  recent(partner: string, token: Token): RecentDebits {
    const minute = minuteOf(this.#books.clock.now())
    const rows = this.#sql
      .exec<{ minute: number; amount_wei: string }>(
        `SELECT minute, amount_wei FROM recent_debits
         WHERE partner = ? AND token = ? AND minute >= ?`,
        ...[partner, token, minute - DAY_MINUTES],
      )
      .toArray()
    const sum = (since: number) =>
      rows.reduce((total, row) => total + (row.minute < since ? 0n : BigInt(row.amount_wei)), 0n)
    return { hourWei: sum(minute - HOUR_MINUTES), dayWei: sum(minute - DAY_MINUTES) }
  }

  /** Counts a debit, in its transaction. @param at when, in unix milliseconds */
  count(partner: string, token: Token, at: number, amountWei: bigint): void {
    const minute = minuteOf(at)
    const total = this.#countedIn(partner, token, minute) + amountWei
    this.#sql.exec(
      'DELETE FROM recent_debits WHERE partner = ? AND token = ? AND minute < ?',
      ...[partner, token, minute - DAY_MINUTES],
    )
    this.#sql.exec(
      `INSERT INTO recent_debits (partner, token, minute, amount_wei) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET amount_wei = excluded.amount_wei`,
      ...[partner, token, minute, total.toString()],
    )
  }

  /** Stops counting a debit that is rolled back. @param at when it was made, in unix milliseconds */
  giveBack(partner: string, token: Token, at: number, amountWei: bigint): void {
    const left = this.#countedIn(partner, token, minuteOf(at)) - amountWei
    // A debit older than the windows is no longer counted.
    if (left < 0n) return
    this.#sql.exec(
      'UPDATE recent_debits SET amount_wei = ? WHERE partner = ? AND token = ? AND minute = ?',
      ...[left.toString(), partner, token, minuteOf(at)],
    )
  }

  /** Writes a change together with its journal entry. */
  #change(
    partner: string,
    token: Token,
    request: (string | number)[],
    { max, expiresAt }: { max: string | null; expiresAt: number | null },
  ): void {
    this.#books.open()
    const at = this.#books.clock.now()
    const { nonce } = this.#row(partner, token)
    this.#books.commit(at, () => {
      this.#books.operations.record(
        {
          id: `permission:${partner}:${token}:${nonce}`,
          request: JSON.stringify(request),
          at,
        },
        { postings: [], result: request[0] },
      )
      this.#sql.exec(
        `INSERT OR REPLACE INTO permissions (partner, token, nonce, max_per_day_wei, expires_at)
         VALUES (?, ?, ?, ?, ?)`,
        ...[partner, token, nonce + 1, max, expiresAt],
      )
    })
  }

  #row(partner: string, token: Token): PermissionRow {
    const none = { nonce: 0, max: null, expiresAt: null }
    if (!this.#books.isOpen) return none
    const [row] = this.#sql
      .exec<PermissionRow>(
        `SELECT nonce, max_per_day_wei AS max, expires_at AS expiresAt FROM permissions
         WHERE partner = ? AND token = ?`,
        ...[partner, token],
      )
      .toArray()
    return row ?? none
  }

  #countedIn(partner: string, token: Token, minute: number): bigint {
    const [row] = this.#sql
      .exec<{ amount_wei: string }>(
        'SELECT amount_wei FROM recent_debits WHERE partner = ? AND token = ? AND minute = ?',
        ...[partner, token, minute],
      )
      .toArray()
    return BigInt(row?.amount_wei ?? 0)
  }
}

function minuteOf(unixMs: number): number {
  return Math.floor(unixMs / MINUTE_MS)
}
