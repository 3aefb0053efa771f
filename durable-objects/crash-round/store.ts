import type { Bet } from '../../src/crash/bet.ts'
import type { RoundPlan } from '../../src/crash/plan.ts'
import type { RoundRecord } from '../../src/crash/round.ts'
import type { SetTerms } from '../../src/operator/modes.ts'
import type { Schema } from '../kernel/migrations.ts'
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

const BET_COLUMNS = `bet_id AS betId, wallet, token, amount_wei AS amountWei, auto_cashout AS autoCashout,
  placed_at AS placedAt, cashout, cashed_out_at AS cashedOutAt`

/** Row by row: a value has at most 2 MB, and nothing bounds how many there are. */
const BURIED = `SELECT -1 AS n, bet_id AS betId, NULL AS wallet, NULL AS token, NULL AS amountWei,
  NULL AS autoCashout, NULL AS placedAt, NULL AS cashout, NULL AS cashedOutAt FROM tombstones`

export interface StoredRound {
  /** Null before the round is opened. */
  record: RoundRecord | null
  bets: Bet[]
  /** The list of pending notices; null before it is stored. */
  pending: Notice[] | null
  /** Bets that were never placed and can no longer be. */
  buried: readonly string[]
}

/** A round that isn't open has only buried bets. */
type RoundRow = (Stored<RoundRecord> | { plan: null }) & { pending: string | null }

/** A bet, or one that was buried. */
type BetRow = Stored<Bet> | { betId: string; wallet: null }

/** The rows of one round. Every method runs in its caller's transaction. */
export class CrashRoundStore {
  readonly migration = { id: 'crash-round', sql: ROUND }
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Reads everything in at most two statements, because the call that woke the object waits for them. */
  load(schema: Schema): StoredRound {
    const { pending, ...row } = this.#sql
      .exec<RoundRow>(
        `SELECT plan, set_terms AS setTerms, seed, pepper, pepper_at AS pepperAt, signature, status,
           is_closed AS isClosed, ended_at AS endedAt, pending
         FROM (SELECT 1) LEFT JOIN round`,
      )
      .one()
    const rows = this.#betRows(schema)
    return {
      record: row.plan === null ? null : recordOf(row),
      bets: rows.flatMap((bet) =>
        bet.wallet === null ? [] : [{ ...bet, amountWei: BigInt(bet.amountWei) }],
      ),
      pending: pending === null ? null : (JSON.parse(pending) as Notice[]),
      buried: rows.flatMap(({ betId, wallet }) => (wallet === null ? [betId] : [])),
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

  /** Returns the bets in their order, and those that were buried. */
  #betRows(schema: Schema): (BetRow & { n: number })[] {
    const parts = [
      ...(schema.has('bets') ? [`SELECT n, ${BET_COLUMNS} FROM bets`] : []),
      ...(schema.has('tombstones') ? [BURIED] : []),
    ]
    if (parts.length === 0) return []
    return this.#sql
      .exec<BetRow & { n: number }>(`${parts.join(' UNION ALL ')} ORDER BY n`)
      .toArray()
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

  savePending(pending: Notice[]): void {
    this.#sql.exec('UPDATE round SET pending = ?', JSON.stringify(pending))
  }

  /** Makes sure that a bet never placed can no longer be placed. Returns its id. */
  bury(betId: string): string {
    this.#sql.exec(TOMBSTONES)
    this.#sql.exec('INSERT OR IGNORE INTO tombstones (bet_id) VALUES (?)', betId)
    return betId
  }
}

function recordOf(row: Stored<RoundRecord>): RoundRecord {
  return {
    ...row,
    plan: JSON.parse(row.plan) as RoundPlan,
    setTerms: JSON.parse(row.setTerms) as SetTerms,
    isClosed: row.isClosed === 1,
  }
}
