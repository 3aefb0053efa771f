import type { Bet } from '../../src/crash/bet.ts'
import type { RoundPlan } from '../../src/crash/plan.ts'
import type { RoundRecord } from '../../src/crash/round.ts'
import type { Token } from '../../src/money/token.ts'

const TABLES = `
  CREATE TABLE round (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    plan TEXT NOT NULL,
    seed TEXT NOT NULL,
    pepper TEXT,
    pepper_at INTEGER,
    signature TEXT,
    status TEXT NOT NULL CHECK (status IN ('live', 'crashed', 'voided')),
    ended_at INTEGER
  ) STRICT;
  CREATE TABLE bets (
    bet_id TEXT PRIMARY KEY,
    wallet TEXT NOT NULL UNIQUE,
    token TEXT NOT NULL,
    amount_wei TEXT NOT NULL,
    auto_cashout INTEGER,
    placed_at INTEGER NOT NULL,
    cashout INTEGER,
    cashed_out_at INTEGER
  ) STRICT;
  CREATE TABLE tombstones (bet_id TEXT PRIMARY KEY) STRICT;
`

type RoundRow = {
  plan: string
  seed: string
  pepper: string | null
  pepper_at: number | null
  signature: string | null
  status: string
  ended_at: number | null
}

type BetRow = {
  bet_id: string
  wallet: string
  token: string
  amount_wei: string
  auto_cashout: number | null
  placed_at: number
  cashout: number | null
  cashed_out_at: number | null
}

/** The rows of one round. Every method runs in its caller's transaction. */
export class CrashRoundStore {
  readonly migration = { id: 'crash-round', sql: TABLES }
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  record(): RoundRecord | null {
    const [row] = this.#sql.exec<RoundRow>('SELECT * FROM round').toArray()
    if (!row) return null
    return {
      plan: JSON.parse(row.plan) as RoundPlan,
      seed: row.seed,
      pepper: row.pepper,
      pepperAt: row.pepper_at,
      signature: row.signature,
      status: row.status as RoundRecord['status'],
      endedAt: row.ended_at,
    }
  }

  save(record: RoundRecord): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO round
         (id, plan, seed, pepper, pepper_at, signature, status, ended_at)
       VALUES (1, ?, ?, ?, ?, ?, ?, ?)`,
      JSON.stringify(record.plan),
      record.seed,
      record.pepper,
      record.pepperAt,
      record.signature,
      record.status,
      record.endedAt,
    )
  }

  bets(): Bet[] {
    return this.#sql
      .exec<BetRow>('SELECT * FROM bets ORDER BY placed_at')
      .toArray()
      .map((row) => ({
        betId: row.bet_id,
        wallet: row.wallet,
        token: row.token as Token,
        amountWei: BigInt(row.amount_wei),
        autoCashout: row.auto_cashout,
        placedAt: row.placed_at,
        cashout: row.cashout,
        cashedOutAt: row.cashed_out_at,
      }))
  }

  insertBet(bet: Bet): void {
    this.#sql.exec(
      `INSERT INTO bets
         (bet_id, wallet, token, amount_wei, auto_cashout, placed_at, cashout, cashed_out_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
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

  cashOut({ betId, cashout, cashedOutAt }: Bet): void {
    this.#sql.exec(
      'UPDATE bets SET cashout = ?, cashed_out_at = ? WHERE bet_id = ? AND cashout IS NULL',
      cashout,
      cashedOutAt,
      betId,
    )
  }

  /** Makes sure that a bet never placed can no longer be placed. */
  bury(betId: string): void {
    this.#sql.exec('INSERT OR IGNORE INTO tombstones (bet_id) VALUES (?)', betId)
  }

  buried(): string[] {
    return this.#sql
      .exec<{ bet_id: string }>('SELECT bet_id FROM tombstones')
      .toArray()
      .map((row) => row.bet_id)
  }
}
