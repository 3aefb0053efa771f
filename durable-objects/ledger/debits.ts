import { partnerLimit } from '../../src/calls/objects.ts'
import { dayAt, MINUTE_MS } from '../../src/core/utc-day.ts'
import { DAY_MINUTES, HOUR_MINUTES, type RecentDebits } from '../../src/ledger/permission.ts'
import type { Token } from '../../src/money/token.ts'
import { REPORTED_DAYS } from '../../src/wallet-bridge/allowance.ts'
import { firstRow } from '../kernel/rows.ts'
import type { LedgerKernel, LedgerPart } from './kernel.ts'

/**
 * Partners' debits, totalled by the minute, which bounds the rows of a window however many debits there
 * are. `exempt_wei` is the part that doesn't count against the player's and the operator's limits: debits
 * that were rolled back, and the reversals of credits. `told_debits` has the part of a day's debits that
 * the partner's limit has confirmed.
 */
const TABLES = `
  CREATE TABLE debits (
    partner TEXT NOT NULL,
    token TEXT NOT NULL,
    minute INTEGER NOT NULL,
    amount_wei TEXT NOT NULL,
    exempt_wei TEXT NOT NULL,
    PRIMARY KEY (partner, token, minute)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE told_debits (
    partner TEXT NOT NULL,
    token TEXT NOT NULL,
    day INTEGER NOT NULL,
    amount_wei TEXT NOT NULL,
    PRIMARY KEY (partner, token, day)
  ) STRICT, WITHOUT ROWID;
`

/** Debits of one minute, in smallest units. */
interface Minute {
  minute: number
  amountWei: bigint
  exemptWei: bigint
}

/** The recent debits of one wallet by partners. */
export class Debits implements LedgerPart {
  readonly migration = { id: 'debits', sql: TABLES }
  readonly #sql: SqlStorage
  readonly #kernel: LedgerKernel
  /** The minutes of a partner and token. */
  readonly #minutes = new Map<string, Minute[]>()

  constructor(kernel: LedgerKernel) {
    this.#sql = kernel.storage.sql
    this.#kernel = kernel
  }

  forget(): void {
    this.#minutes.clear()
  }

  /** Counts a debit, in its transaction. @param at when, in unix milliseconds */
  count(partner: string, token: Token, at: number, amountWei: bigint): void {
    this.#add(partner, token, at, { amountWei, exemptWei: 0n })
  }

  /**
   * Counts the reversal of a credit, which no limit of debits applies to, so that only the day of the credit has room
   * for another. @param at when the credit was made, in unix milliseconds: within the last 24 hours
   */
  countReversal(partner: string, token: Token, at: number, amountWei: bigint): void {
    this.#add(partner, token, at, { amountWei, exemptWei: amountWei })
  }

  /** Exempts a debit that is rolled back, if it is still counted. @param at when it was made, in unix milliseconds */
  giveBack(partner: string, token: Token, at: number, amountWei: bigint): void {
    const isCounted = this.#of(partner, token).some(({ minute }) => minute === minuteOf(at))
    if (isCounted) this.#add(partner, token, at, { amountWei: 0n, exemptWei: amountWei })
  }

  /**
   * Returns a partner's debits within the last hour and the last 24 hours, less its rollbacks. A debit is
   * dated to the end of its minute, so it counts for up to a minute longer.
   */
  recent(partner: string, token: Token): RecentDebits {
    const now = minuteOf(this.#kernel.clock.now())
    const minutes = this.#since(partner, token, now - DAY_MINUTES)
    const sum = (since: number) =>
      minutes
        .filter(({ minute }) => minute >= since)
        .reduce((total, { amountWei, exemptWei }) => total + amountWei - exemptWei, 0n)
    return { hourWei: sum(now - HOUR_MINUTES), dayWei: sum(now - DAY_MINUTES) }
  }

  /** Returns a partner's debits in a UTC day, in smallest units. A rollback is a credit of its own there. */
  ofDay(partner: string, token: Token, day: number): bigint {
    const first = day * DAY_MINUTES
    return this.#since(partner, token, first)
      .filter(({ minute }) => minute < first + DAY_MINUTES)
      .reduce((total, { amountWei }) => total + amountWei, 0n)
  }

  /** Reports debits to partners' limits since the last report, and deletes old days. */
  async project(): Promise<void> {
    const first = dayAt(this.#kernel.clock.now()) - REPORTED_DAYS
    const days = this.#sql
      .exec<{ partner: string; token: Token; day: number }>(
        `SELECT DISTINCT partner, token, minute / ${DAY_MINUTES} AS day FROM debits WHERE minute >= ?`,
        first * DAY_MINUTES,
      )
      .toArray()
    await Promise.all(days.map(({ partner, token, day }) => this.#report(partner, token, day)))
    this.#sql.exec('DELETE FROM debits WHERE minute < ?', first * DAY_MINUTES)
    this.#sql.exec('DELETE FROM told_debits WHERE day < ?', first)
    this.forget()
  }

  async #report(partner: string, token: Token, day: number): Promise<void> {
    const debitedWei = this.ofDay(partner, token, day)
    const reported = firstRow(
      this.#sql.exec<{ amountWei: string }>(
        `SELECT amount_wei AS amountWei FROM told_debits WHERE partner = ? AND token = ? AND day = ?`,
        partner,
        token,
        day,
      ),
    )
    if (debitedWei === BigInt(reported?.amountWei ?? 0)) return
    const { env, wallet } = this.#kernel
    await partnerLimit(env, partner).debited({ wallet, token, day, debitedWei })
    this.#sql.exec(
      'INSERT OR REPLACE INTO told_debits (partner, token, day, amount_wei) VALUES (?, ?, ?, ?)',
      partner,
      token,
      day,
      debitedWei.toString(),
    )
  }

  #since(partner: string, token: Token, since: number): Minute[] {
    return this.#of(partner, token).filter(({ minute }) => minute >= since)
  }

  /** Takes the debits of a partner and token from the text that {@link debitsOf} selects. */
  take(partner: string, token: Token, text: string): Minute[] {
    const stored = JSON.parse(text) as [minute: number, amountWei: string, exemptWei: string][]
    const minutes = stored.map(([minute, amountWei, exemptWei]) => ({
      minute,
      amountWei: BigInt(amountWei),
      exemptWei: BigInt(exemptWei),
    }))
    this.#minutes.set(`${partner}:${token}`, minutes)
    return minutes
  }

  #of(partner: string, token: Token): Minute[] {
    const known = this.#minutes.get(`${partner}:${token}`)
    return known ?? this.take(partner, token, this.#stored(partner, token))
  }

  #stored(partner: string, token: Token): string {
    const query = `SELECT ${debitsOf('?', '?')} AS text`
    return this.#sql.exec<{ text: string }>(query, partner, token).one().text
  }

  #add(partner: string, token: Token, at: number, more: Omit<Minute, 'minute'>): void {
    const minutes = this.#of(partner, token)
    const minute = minuteOf(at)
    const known = minutes.find((counted) => counted.minute === minute)
    const counted = known ?? { minute, amountWei: 0n, exemptWei: 0n }
    if (!known) minutes.push(counted)
    counted.amountWei += more.amountWei
    counted.exemptWei += more.exemptWei
    this.#sql.exec(
      `INSERT OR REPLACE INTO debits (partner, token, minute, amount_wei, exempt_wei)
       VALUES (?, ?, ?, ?, ?)`,
      partner,
      token,
      minute,
      counted.amountWei.toString(),
      counted.exemptWei.toString(),
    )
  }
}

/**
 * Returns an expression in SQL for the debits of a partner and token, as JSON text.
 * @param partner in SQL, as is the token: a column or a placeholder
 */
export function debitsOf(partner: string, token: string): string {
  return `(SELECT json_group_array(json_array(minute, amount_wei, exempt_wei)) FROM debits
    WHERE debits.partner = ${partner} AND debits.token = ${token})`
}

function minuteOf(unixMs: number): number {
  return Math.floor(unixMs / MINUTE_MS)
}
