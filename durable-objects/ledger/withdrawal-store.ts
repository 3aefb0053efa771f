import { invariant } from '../../src/core/invariant.ts'
import { hasEnded, type Withdrawal } from '../../src/ledger/withdrawal.ts'
import type { Token } from '../../src/money/token.ts'
import { firstRow } from '../kernel/rows.ts'
import type { Stored } from '../kernel/stored.ts'

/**
 * `version` is that of the relayer's newest report, `small` marks a full balance below the minimum, and `booked_by` is
 * the operators' act that booked the vault's payout with the nonce. A row without a signature records that the vault
 * used up this nonce and all before it without a request. Its amount is the payout with this nonce, or 0.
 */
const TABLES = `
  CREATE TABLE withdrawals (
    vault TEXT NOT NULL,
    nonce INTEGER NOT NULL,
    token TEXT NOT NULL,
    amount_wei TEXT NOT NULL,
    signature TEXT NOT NULL,
    status TEXT NOT NULL,
    tx_hash TEXT,
    version INTEGER NOT NULL,
    at INTEGER NOT NULL,
    small INTEGER NOT NULL,
    booked_by TEXT,
    PRIMARY KEY (vault, nonce)
  ) STRICT;
`

/** A withdrawal as this ledger keeps it. */
export type Row = Withdrawal & {
  signature: string
  /** That of the relayer's newest report; 0 before the first. */
  version: number
  bookedBy: string | null
  small: number
}

const COLUMNS = `nonce, token, amount_wei AS amountWei, signature, status, tx_hash AS txHash,
  version, booked_by AS bookedBy, small`

/** The withdrawals of one wallet. Every method that writes runs in its caller's transaction. */
export class WithdrawalStore {
  readonly migration = { id: 'withdrawals', sql: TABLES }
  readonly #sql: SqlStorage
  /** The next nonce of a vault, as long as it is known. */
  #next: { vaultId: string; nonce: number } | null = null

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  forget(): void {
    this.#next = null
  }

  /** Returns the nonce of the next withdrawal from a vault. */
  nextNonce(vaultId: string): number {
    if (this.#next?.vaultId !== vaultId) {
      this.#next = { vaultId, nonce: this.#countedNonce(vaultId) }
    }
    return this.#next.nonce
  }

  /** Returns the nonce of the next withdrawal from a vault, and how many before it have not ended. */
  standing(vaultId: string): { nextNonce: number; openWithdrawals: number } {
    const nextNonce = this.nextNonce(vaultId)
    let nonce = nextNonce
    while (this.#isOpen(vaultId, nonce - 1)) nonce--
    return { nextNonce, openWithdrawals: nextNonce - nonce }
  }

  /** Returns whether the newest withdrawal from a vault has not ended. */
  isUnderWay(vaultId: string): boolean {
    return this.#isOpen(vaultId, this.nextNonce(vaultId) - 1)
  }

  #isOpen(vaultId: string, nonce: number): boolean {
    const row = nonce < 0 ? null : this.find(vaultId, nonce)
    return row !== null && !hasEnded(row.status)
  }

  /** Returns the newest withdrawals from a vault, the newest first. */
  newest(vaultId: string, limit: number): Row[] {
    return this.#sql
      .exec<Stored<Row>>(
        `SELECT ${COLUMNS} FROM withdrawals WHERE vault = ? AND amount_wei <> '0'
         ORDER BY nonce DESC LIMIT ?`,
        vaultId,
        limit,
      )
      .toArray()
  }

  #countedNonce(vaultId: string): number {
    return this.#sql
      .exec<{ next: number }>(
        'SELECT coalesce(max(nonce) + 1, 0) AS next FROM withdrawals WHERE vault = ?',
        vaultId,
      )
      .one().next
  }

  add(vaultId: string, row: Omit<Row, 'bookedBy'>, at: number): void {
    const { nonce, token, amountWei, signature, status, txHash, version, small } = row
    this.#sql.exec(
      `INSERT INTO withdrawals
         (vault, nonce, token, amount_wei, signature, status, tx_hash, version, at, small)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      vaultId,
      nonce,
      token,
      amountWei,
      signature,
      status,
      txHash,
      version,
      at,
      small,
    )
    this.#next = null
  }

  /** Records, by an operators' act, that a nonce was paid. The withdrawal of a request stays refunded. */
  addPaid(vaultId: string, paid: Omit<Withdrawal, 'status'>, actId: string, at: number): void {
    const { nonce } = paid
    this.#sql.exec(
      `DELETE FROM withdrawals WHERE vault = ? AND nonce = ? AND signature = ''`,
      vaultId,
      nonce,
    )
    const row = { ...paid, status: 'confirmed' as const, signature: '', version: 0, small: 0 }
    if (!this.find(vaultId, nonce)) this.add(vaultId, row, at)
    this.#sql.exec(
      'UPDATE withdrawals SET booked_by = ? WHERE vault = ? AND nonce = ?',
      actId,
      vaultId,
      nonce,
    )
  }

  /** Skips the nonces that the vault has used up without a request, unless a withdrawal is in progress. */
  skipTo(vaultId: string, nextNonce: number | undefined, token: Token, at: number): void {
    if (nextNonce === undefined || nextNonce <= this.nextNonce(vaultId)) return
    if (this.isUnderWay(vaultId)) return
    const row = { nonce: nextNonce - 1, token, amountWei: '0', status: 'failed' as const }
    this.add(vaultId, { ...row, signature: '', txHash: null, version: 0, small: 0 }, at)
  }

  change(
    vaultId: string,
    nonce: number,
    { status, txHash, version, bookedBy }: Pick<Row, 'status' | 'txHash' | 'version' | 'bookedBy'>,
  ): void {
    this.#sql.exec(
      `UPDATE withdrawals SET status = ?, tx_hash = ?, version = ?, booked_by = ?
       WHERE vault = ? AND nonce = ?`,
      status,
      txHash,
      version,
      bookedBy,
      vaultId,
      nonce,
    )
  }

  /** Returns the total that withdrawals in progress hold in a token, in smallest units. */
  heldTotal(token: Token): bigint {
    return this.#sql
      .exec<Stored<Row>>(`SELECT ${COLUMNS} FROM withdrawals WHERE token = ?`, token)
      .toArray()
      .filter(({ status }) => !hasEnded(status))
      .reduce((total, { amountWei }) => total + BigInt(amountWei), 0n)
  }

  /** Returns how long ago a full balance below the minimum was last withdrawn; null if never. */
  sinceSmallMs(vaultId: string, token: Token, now: number): number | null {
    const { at } = this.#sql
      .exec<{ at: number | null }>(
        'SELECT max(at) AS at FROM withdrawals WHERE vault = ? AND token = ? AND small = 1',
        vaultId,
        token,
      )
      .one()
    return at === null ? null : now - at
  }

  get(vaultId: string, nonce: number): Row {
    const row = this.find(vaultId, nonce)
    invariant(row, `withdrawal ${nonce} is in the table`)
    return row
  }

  /** Returns a withdrawal; null without one. */
  find(vaultId: string, nonce: number): Row | null {
    return firstRow(
      this.#sql.exec<Stored<Row>>(
        `SELECT ${COLUMNS} FROM withdrawals WHERE vault = ? AND nonce = ?`,
        vaultId,
        nonce,
      ),
    )
  }
}
