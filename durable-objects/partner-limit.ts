import { DurableObject } from 'cloudflare:workers'
import { min } from '../src/core/bigint.ts'
import { dayAt } from '../src/core/utc-day.ts'
import { perToken, TOKENS, type PerToken, type Token } from '../src/money/token.ts'
import { leftOf, REPORTED_DAYS, type CreditTotals } from '../src/wallet-bridge/allowance.ts'
import { Clock } from './kernel/clock.ts'
import { CommitQueue } from './kernel/commit-queue.ts'
import { migrate } from './kernel/migrations.ts'
import { firstRow, hasRow } from './kernel/rows.ts'
import { transact } from './kernel/transact.ts'

/** `new_players` has those whose chips had never moved when they were credited on a day, and their number. */
const TABLES = `
  CREATE TABLE totals (
    day INTEGER NOT NULL,
    token TEXT NOT NULL,
    credited_wei TEXT NOT NULL,
    debited_wei TEXT NOT NULL,
    PRIMARY KEY (day, token)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE credits (
    day INTEGER NOT NULL,
    id TEXT NOT NULL,
    token TEXT NOT NULL,
    amount_wei TEXT NOT NULL,
    PRIMARY KEY (day, id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE debits (
    day INTEGER NOT NULL,
    token TEXT NOT NULL,
    wallet TEXT NOT NULL,
    amount_wei TEXT NOT NULL,
    PRIMARY KEY (day, token, wallet)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE new_players (
    day INTEGER NOT NULL,
    wallet TEXT NOT NULL,
    PRIMARY KEY (day, wallet)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE new_player_counts (day INTEGER PRIMARY KEY, players INTEGER NOT NULL) STRICT;
`

/** The total a partner has debited from a ledger's player on a day. Only the highest report counts. */
interface DebitReport {
  wallet: string
  token: Token
  day: number
  debitedWei: bigint
}

interface CreditRequest extends DebitReport {
  id: string
  amountWei: bigint
  /** Of the day. */
  limitWei: bigint
  /** Of all days; null without one. */
  totalLimitWei: bigint | null
  /** The debits of the day before, if there is a limit of all days; otherwise 0. */
  debitedBeforeWei: bigint
  /** The most new players that it may credit in a day, if this player is new; otherwise null. */
  newPlayers: number | null
}

/**
 * Whether a credit may be made, the amount that its limits leave in smallest units, and whether only the limit of new
 * players refuses it.
 */
interface Granted {
  isGranted: boolean
  leftWei: bigint
  hasTooManyNew?: boolean
}

type TotalsRow = { token: Token; credited_wei: string; debited_wei: string }
type CreditRow = { day: number; token: Token; amountWei: string }

/** The day that has the totals of all earlier days, added up. */
const BEFORE = 0

/** One call deletes at most this many old rows, so the first call of a day stays fast. */
const FORGOTTEN_AT_ONCE = 1_000

/**
 * Holds one partner's credits, over all its players, to its limits for a day and for all days. Ledgers reserve each
 * credit beforehand but report debits only periodically, so the allowance is never overstated.
 */
export class PartnerLimit extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql
  readonly #clock = new Clock()
  readonly #queue = new CommitQueue(
    (work) => transact(this.ctx.storage, work),
    () => this.#clock.now(),
  )
  #forgottenOn = 0

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    migrate(ctx.storage, [{ id: 'partner-limit', sql: TABLES }])
  }

  /** Reserves part of the limits for a credit, or returns how much is left. Safe to repeat. */
  async reserve(request: CreditRequest): Promise<Granted> {
    this.#expectRoom()
    return this.#queue.run(() => {
      this.#debit(request)
      const { id, day, token, amountWei, limitWei, totalLimitWei } = request
      const { debitedBeforeWei, newPlayers } = request
      if (debitedBeforeWei > 0n)
        this.#debit({ ...request, day: day - 1, debitedWei: debitedBeforeWei })
      const totals = this.#totals(day, token)
      const leftOfDayWei = leftOf(totals, limitWei)
      const leftWei =
        totalLimitWei === null
          ? leftOfDayWei
          : min(leftOfDayWei, leftOf(this.#sum()[token], totalLimitWei))
      if (this.#credit(id, day)) return { isGranted: true, leftWei }
      if (amountWei > leftWei) return { isGranted: false, leftWei }
      const isNew = newPlayers !== null && !this.#isCounted(day, request.wallet)
      if (isNew) {
        if (this.#newPlayers(day) >= newPlayers)
          return { isGranted: false, leftWei, hasTooManyNew: true }
        this.#countNew(day, request.wallet)
      }
      this.#sql.exec(
        'INSERT INTO credits (id, day, token, amount_wei) VALUES (?, ?, ?, ?)',
        id,
        day,
        token,
        amountWei.toString(),
      )
      this.#save(day, token, { ...totals, creditedWei: totals.creditedWei + amountWei })
      return { isGranted: true, leftWei }
    })
  }

  /** Releases the reservation of a credit that was not made and never will be. Safe to repeat. */
  async release(id: string): Promise<void> {
    this.#expectRoom()
    await this.#queue.run(() => {
      const credit = this.#credit(id)
      if (!credit) return
      const { day, token, amountWei } = credit
      const totals = this.#totals(day, token)
      const creditedWei = totals.creditedWei - BigInt(amountWei)
      this.#sql.exec('DELETE FROM credits WHERE day = ? AND id = ?', day, id)
      this.#save(day, token, { ...totals, creditedWei })
    })
  }

  /** Accepts a ledger's report of its debits. Safe to repeat, in any order. */
  async debited(report: DebitReport): Promise<void> {
    this.#expectRoom()
    await this.#queue.run(() => this.#debit(report))
  }

  /** Returns the totals and new players of today, and the credits less the debits of all days. */
  async today(): Promise<
    PerToken<{ creditedWei: string; debitedWei: string; netWei: string }> & { newPlayers: number }
  > {
    const day = dayAt(this.#clock.now())
    const all = this.#sum()
    const totals = perToken((token) => {
      const { creditedWei, debitedWei } = this.#totals(day, token)
      return {
        creditedWei: creditedWei.toString(),
        debitedWei: debitedWei.toString(),
        netWei: (all[token].creditedWei - all[token].debitedWei).toString(),
      }
    })
    return { ...totals, newPlayers: this.#newPlayers(day) }
  }

  /** Returns the totals of all days: credits that may be made, and debits that were reported. */
  async totals(): Promise<PerToken<CreditTotals>> {
    return this.#sum()
  }

  /** @param before the day after the last one to add up */
  #sum(before = Number.MAX_SAFE_INTEGER): PerToken<CreditTotals> {
    const rows = this.#sql
      .exec<TotalsRow>('SELECT token, credited_wei, debited_wei FROM totals WHERE day < ?', before)
      .toArray()
    return perToken((token) => {
      const ofToken = rows.filter((row) => row.token === token)
      const sum = (side: 'credited_wei' | 'debited_wei') =>
        ofToken.reduce((total, row) => total + BigInt(row[side]), 0n)
      return { creditedWei: sum('credited_wei'), debitedWei: sum('debited_wei') }
    })
  }

  #debit({ wallet, token, day, debitedWei }: DebitReport): void {
    this.#forgetOldDays()
    // The rows that would show which part of it has been counted are gone.
    if (day < dayAt(this.#clock.now()) - REPORTED_DAYS) return
    const row = firstRow(
      this.#sql.exec<{ amount_wei: string }>(
        'SELECT amount_wei FROM debits WHERE day = ? AND token = ? AND wallet = ?',
        day,
        token,
        wallet,
      ),
    )
    const moreWei = debitedWei - BigInt(row?.amount_wei ?? 0)
    if (moreWei <= 0n) return
    this.#sql.exec(
      'INSERT OR REPLACE INTO debits (day, token, wallet, amount_wei) VALUES (?, ?, ?, ?)',
      day,
      token,
      wallet,
      debitedWei.toString(),
    )
    const totals = this.#totals(day, token)
    this.#save(day, token, { ...totals, debitedWei: totals.debitedWei + moreWei })
  }

  #isCounted(day: number, wallet: string): boolean {
    const query = 'SELECT 1 FROM new_players WHERE day = ? AND wallet = ?'
    return hasRow(this.#sql.exec(query, day, wallet))
  }

  /** Counts a new player once a day, whatever becomes of the credits. */
  #countNew(day: number, wallet: string): void {
    this.#sql.exec('INSERT INTO new_players (day, wallet) VALUES (?, ?)', day, wallet)
    this.#sql.exec(
      `INSERT INTO new_player_counts (day, players) VALUES (?, 1)
       ON CONFLICT DO UPDATE SET players = players + 1`,
      day,
    )
  }

  #newPlayers(day: number): number {
    return (
      firstRow(
        this.#sql.exec<{ players: number }>(
          'SELECT players FROM new_player_counts WHERE day = ?',
          day,
        ),
      )?.players ?? 0
    )
  }

  /** Returns a credit of the days that are kept, of tomorrow for a ledger whose clock is ahead, or of a given day. */
  #credit(id: string, day?: number): CreditRow | null {
    const today = dayAt(this.#clock.now())
    return firstRow(
      this.#sql.exec<CreditRow>(
        `SELECT day, token, amount_wei AS amountWei FROM credits WHERE day IN (?, ?, ?, ?) AND id = ?`,
        today - 1,
        today,
        today + 1,
        day ?? today,
        id,
      ),
    )
  }

  /** @throws if the queue is full; the caller tries again */
  #expectRoom(): void {
    if (this.#queue.isFull())
      throw new Error("too many calls for a partner's limit; try again shortly")
  }

  #totals(day: number, token: Token): CreditTotals {
    const row = firstRow(
      this.#sql.exec<{ credited_wei: string; debited_wei: string }>(
        'SELECT credited_wei, debited_wei FROM totals WHERE day = ? AND token = ?',
        day,
        token,
      ),
    )
    return {
      creditedWei: BigInt(row?.credited_wei ?? 0),
      debitedWei: BigInt(row?.debited_wei ?? 0),
    }
  }

  #save(day: number, token: Token, { creditedWei, debitedWei }: CreditTotals): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO totals (day, token, credited_wei, debited_wei) VALUES (?, ?, ?, ?)',
      day,
      token,
      creditedWei.toString(),
      debitedWei.toString(),
    )
  }

  /** Deletes old days. Keeps yesterday's credits for ledgers whose clock is behind, and for refunds. */
  #forgetOldDays(): void {
    const today = dayAt(this.#clock.now())
    if (today === this.#forgottenOn) return
    const { rowsWritten } = this.#sql.exec(
      `DELETE FROM credits
       WHERE (day, id) IN (SELECT day, id FROM credits WHERE day < ? LIMIT ?)`,
      today - 1,
      FORGOTTEN_AT_ONCE,
    )
    if (rowsWritten > 0) return
    this.#sql.exec('DELETE FROM debits WHERE day < ?', today - REPORTED_DAYS)
    for (const table of ['new_players', 'new_player_counts'])
      this.#sql.exec(`DELETE FROM ${table} WHERE day < ?`, today - 1)
    this.#addUp(today - REPORTED_DAYS)
    this.#forgottenOn = today
  }

  /** Replaces the totals before a day by their sums. */
  #addUp(day: number): void {
    const sums = this.#sum(day)
    const old = this.#sql.exec('DELETE FROM totals WHERE day > ? AND day < ?', BEFORE, day)
    if (old.rowsWritten === 0) return
    for (const token of TOKENS) this.#save(BEFORE, token, sums[token])
  }
}
