import { DurableObject } from 'cloudflare:workers'
import type { Token } from '../src/money/token.ts'
import { dayAt, leftToday, type DayTotals } from '../src/wallet-bridge/allowance.ts'
import { Clock } from './kernel/clock.ts'
import { CommitQueue } from './kernel/commit-queue.ts'
import { migrate } from './kernel/migrations.ts'
import { transact } from './kernel/transact.ts'

const MIGRATION = `
  CREATE TABLE totals (
    day INTEGER NOT NULL,
    token TEXT NOT NULL,
    credited_wei TEXT NOT NULL,
    debited_wei TEXT NOT NULL,
    PRIMARY KEY (day, token)
  ) STRICT;
  CREATE TABLE credits (id TEXT PRIMARY KEY, day INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE debits (
    day INTEGER NOT NULL,
    token TEXT NOT NULL,
    wallet TEXT NOT NULL,
    amount_wei TEXT NOT NULL,
    PRIMARY KEY (day, token, wallet)
  ) STRICT, WITHOUT ROWID;
`

/** What a ledger says a partner has debited its player on a day, as a total: only the most counts. */
export interface DebitReport {
  wallet: string
  token: Token
  day: number
  debitedWei: bigint
}

export interface CreditRequest extends DebitReport {
  id: string
  amountWei: bigint
  /** The day's limit; null where the credit only gives back what was debited, and is counted. */
  limitWei: bigint | null
}

/**
 * What one partner credits in a day, over all its players, held to its limit. Ledgers ask before each
 * credit; of debits they tell now and then, so what is left is never more than it is said to be.
 */
export class PartnerLimit extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql
  readonly #clock = new Clock()
  readonly #queue = new CommitQueue(
    (work) => transact(this.ctx.storage, work),
    () => this.#clock.now(),
    () => {},
  )
  #forgottenOn = 0

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    migrate(ctx.storage, [MIGRATION])
  }

  /** Sets a part of the day's limit aside for a credit, or says how much is left. Safe to repeat. */
  async reserve(request: CreditRequest): Promise<{ isGranted: boolean; leftWei: bigint }> {
    return this.#queue.run(() => {
      this.#debit(request)
      const { id, day, token, amountWei, limitWei } = request
      const totals = this.#totals(day, token)
      const leftWei = limitWei === null ? amountWei : leftToday(totals, limitWei)
      const known = this.#sql.exec('SELECT 1 FROM credits WHERE id = ?', id).toArray()
      if (known.length > 0) return { isGranted: true, leftWei }
      if (amountWei > leftWei) return { isGranted: false, leftWei }
      this.#sql.exec('INSERT INTO credits VALUES (?, ?)', id, day)
      this.#save(day, token, { ...totals, creditedWei: totals.creditedWei + amountWei })
      return { isGranted: true, leftWei }
    })
  }

  /** Takes a ledger's word on what was debited. Safe to repeat, in any order. */
  async debited(report: DebitReport): Promise<void> {
    await this.#queue.run(() => this.#debit(report))
  }

  #debit({ wallet, token, day, debitedWei }: DebitReport): void {
    this.#forgetOldDays()
    const [row] = this.#sql
      .exec<{ amount_wei: string }>(
        'SELECT amount_wei FROM debits WHERE day = ? AND token = ? AND wallet = ?',
        ...[day, token, wallet],
      )
      .toArray()
    const moreWei = debitedWei - BigInt(row?.amount_wei ?? 0)
    if (moreWei <= 0n) return
    this.#sql.exec(
      'INSERT OR REPLACE INTO debits VALUES (?, ?, ?, ?)',
      ...[day, token, wallet, debitedWei.toString()],
    )
    const totals = this.#totals(day, token)
    this.#save(day, token, { ...totals, debitedWei: totals.debitedWei + moreWei })
  }

  #totals(day: number, token: Token): DayTotals {
    const [row] = this.#sql
      .exec<{ credited_wei: string; debited_wei: string }>(
        'SELECT credited_wei, debited_wei FROM totals WHERE day = ? AND token = ?',
        ...[day, token],
      )
      .toArray()
    return {
      creditedWei: BigInt(row?.credited_wei ?? 0),
      debitedWei: BigInt(row?.debited_wei ?? 0),
    }
  }

  #save(day: number, token: Token, { creditedWei, debitedWei }: DayTotals): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO totals VALUES (?, ?, ?, ?)',
      ...[day, token, creditedWei.toString(), debitedWei.toString()],
    )
  }

  /** Yesterday's is kept for ledgers whose clock is behind. */
  #forgetOldDays(): void {
    const today = dayAt(this.#clock.now())
    if (today === this.#forgottenOn) return
    this.#forgottenOn = today
    for (const table of ['totals', 'credits', 'debits']) {
      this.#sql.exec(`DELETE FROM ${table} WHERE day < ?`, today - 1)
    }
  }
}
