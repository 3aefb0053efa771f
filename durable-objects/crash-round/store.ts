import type { Bet } from '../../src/crash/bet.ts'
import type { RoundPlan } from '../../src/crash/plan.ts'
import type { RoundRecord } from '../../src/crash/round.ts'
import type { SetTerms } from '../../src/operator/modes.ts'
import { hasTable } from '../kernel/migrations.ts'
import { firstRow } from '../kernel/rows.ts'
import type { Stored } from '../kernel/stored.ts'
import type { Notice } from './notices.ts'

/** `pending` lists the pending notices of an ended round; null until they fit a batch. */
const ROUND = `
  CREATE TABLE round (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    plan TEXT NOT NULL,
    set_terms TEXT NOT NULL,
    seed TEXT NOT NULL,
    pepper TEXT,
    pepper_at INTEGER,
    signature TEXT,
    status TEXT NOT NULL CHECK (status IN ('live', 'crashed', 'voided')),
    is_closed INTEGER NOT NULL,
    ended_at INTEGER,
    pending TEXT
  ) STRICT;
`

/**
 * Made for the first bet, since most rounds of a quiet table have none. So no migration may name this table or
 * the next.
 */
const BETS = `
  CREATE TABLE IF NOT EXISTS bets (
    wallet TEXT PRIMARY KEY,
    n INTEGER NOT NULL,
    bet_id TEXT NOT NULL,
    token TEXT NOT NULL,
    amount_wei TEXT NOT NULL,
    auto_cashout INTEGER,
    placed_at INTEGER NOT NULL,
    cashout INTEGER,
    cashed_out_at INTEGER
  ) STRICT, WITHOUT ROWID
`

/** Made for the first bet that was called "never placed". */
const TOMBSTONES = `
  CREATE TABLE IF NOT EXISTS tombstones (bet_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID
`

/** The rows of one round. Every method runs in its caller's transaction. */
export class CrashRoundStore {
  readonly migration = { id: 'crash-round', sql: ROUND }
  readonly #storage: DurableObjectStorage
  readonly #sql: SqlStorage

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.#sql = storage.sql
  }

  record(): RoundRecord | null {
    const row = firstRow(
      this.#sql.exec<Stored<RoundRecord>>(
        `SELECT plan, set_terms AS setTerms, seed, pepper, pepper_at AS pepperAt, signature, status,
           is_closed AS isClosed, ended_at AS endedAt
         FROM round`,
      ),
    )
    if (!row) return null
    return {
      ...row,
      plan: JSON.parse(row.plan) as RoundPlan,
      setTerms: JSON.parse(row.setTerms) as SetTerms,
      isClosed: row.isClosed === 1,
    }
  }

  save(record: RoundRecord): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO round
         (id, plan, set_terms, seed, pepper, pepper_at, signature, status, is_closed, ended_at)
       VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      JSON.stringify(record.plan),
      JSON.stringify(record.setTerms),
      record.seed,
      record.pepper,
      record.pepperAt,
      record.signature,
      record.status,
      record.isClosed ? 1 : 0,
      record.endedAt,
    )
  }

  bets(): Bet[] {
    if (!hasTable(this.#storage, 'bets')) return []
    return this.#sql
      .exec<Stored<Bet>>(
        `SELECT bet_id AS betId, wallet, token, amount_wei AS amountWei,
           auto_cashout AS autoCashout, placed_at AS placedAt, cashout, cashed_out_at AS cashedOutAt
         FROM bets ORDER BY n`,
      )
      .toArray()
      .map((row) => ({ ...row, amountWei: BigInt(row.amountWei) }))
  }

  /** @param n the bet's position in the round, from 0 */
  insertBet(bet: Bet, n: number): void {
    if (n === 0) this.#sql.exec(BETS)
    this.#sql.exec(
      `INSERT INTO bets
         (n, bet_id, wallet, token, amount_wei, auto_cashout, placed_at, cashout, cashed_out_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      n,
      bet.betId,
      bet.wallet,
      bet.token,
      bet.amountWei.toString(),
      bet.autoCashout,
      bet.placedAt,
      bet.cashout,
      bet.cashedOutAt,
    )
  }

  cashOut({ wallet, cashout, cashedOutAt }: Bet): void {
    this.#sql.exec(
      'UPDATE bets SET cashout = ?, cashed_out_at = ? WHERE wallet = ? AND cashout IS NULL',
      cashout,
      cashedOutAt,
      wallet,
    )
  }

  /** Returns the stored list of pending notices; null before it is stored. */
  pending(): Notice[] | null {
    const { pending } = this.#sql
      .exec<{ pending: string | null }>('SELECT pending FROM round')
      .one()
    return pending === null ? null : (JSON.parse(pending) as Notice[])
  }

  savePending(pending: Notice[]): void {
    this.#sql.exec('UPDATE round SET pending = ?', JSON.stringify(pending))
  }

  /** Makes sure that a bet never placed can no longer be placed. Returns its id. */
  bury(betId: string): string {
    this.#sql.exec(TOMBSTONES)
    this.#sql.exec('INSERT OR IGNORE INTO tombstones (bet_id) VALUES (?)', betId)
    return betId
  }

  buried(): string[] {
    if (!hasTable(this.#storage, 'tombstones')) return []
    return this.#sql
      .exec<{ bet_id: string }>('SELECT bet_id FROM tombstones')
      .toArray()
      .map((row) => row.bet_id)
  }
}
