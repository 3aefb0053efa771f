import type { BetOrder, FinalOutcome } from '../../src/crash/bet.ts'
import type { Hundredths } from '../../src/money/multiplier.ts'
import type { Token } from '../../src/money/token.ts'
import type { Part } from '../kernel/kernel.ts'
import type { Stored } from '../kernel/stored.ts'

/** Chips reserved for a bet. `open` until its round reports how it ended. */
export interface Hold extends BetOrder {
  betId: string
  roundId: number
  target: Hundredths | null
  placedAt: number
  /** Until then the round may still be asked to accept the bet, so it isn't asked how the bet ended. */
  closesAt: number
  status: 'open' | FinalOutcome['kind']
}

const TABLES = `
  CREATE TABLE holds (
    bet_id TEXT PRIMARY KEY,
    round_id INTEGER NOT NULL,
    token TEXT NOT NULL,
    amount_wei TEXT NOT NULL,
    auto_cashout INTEGER,
    target INTEGER,
    placed_at INTEGER NOT NULL,
    closes_at INTEGER NOT NULL,
    status TEXT NOT NULL
  ) STRICT;
  CREATE INDEX holds_by_round ON holds (round_id);
  CREATE INDEX holds_open ON holds (round_id) WHERE status = 'open';
`

const COLUMNS = `bet_id AS betId, round_id AS roundId, token, amount_wei AS amountWei, target,
  auto_cashout AS autoCashout, placed_at AS placedAt, closes_at AS closesAt, status`

/**
 * The holds of one ledger. Every method runs in its caller's transaction. If that is undone, the state
 * in memory must be dropped.
 */
export class Holds implements Part {
  readonly migration = { id: 'holds', sql: TABLES }
  readonly #sql: SqlStorage
  #open: Hold[] | null = null

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  insert(hold: Hold): void {
    this.#sql.exec(
      `INSERT INTO holds
         (bet_id, round_id, token, amount_wei, auto_cashout, target, placed_at, closes_at, status)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      hold.betId,
      hold.roundId,
      hold.token,
      hold.amountWei.toString(),
      hold.autoCashout,
      hold.target,
      hold.placedAt,
      hold.closesAt,
      hold.status,
    )
    this.forget()
  }

  resolve(betId: string, status: FinalOutcome['kind']): void {
    this.#sql.exec('UPDATE holds SET status = ? WHERE bet_id = ?', status, betId)
    this.forget()
  }

  find(betId: string): Hold | undefined {
    return this.#select('WHERE bet_id = ?', betId)[0]
  }

  /** Returns every bet tried in a round. A released bet was not placed. */
  ofRound(roundId: number): Hold[] {
    return this.#select('WHERE round_id = ?', roundId)
  }

  /** Returns every unresolved bet, oldest round first. */
  open(): Hold[] {
    this.#open ??= this.#select(`WHERE status = 'open' ORDER BY round_id`)
    return this.#open
  }

  /** Drops the state in memory. The database has it, or has undone it. */
  forget(): void {
    this.#open = null
  }

  /** Returns the total that unresolved bets hold in a token, in smallest units. */
  openTotal(token: Token): bigint {
    return this.open()
      .filter((hold) => hold.token === token)
      .reduce((total, hold) => total + hold.amountWei, 0n)
  }

  #select(where: string, ...bindings: (string | number)[]): Hold[] {
    return this.#sql
      .exec<Stored<Hold>>(`SELECT ${COLUMNS} FROM holds ${where}`, ...bindings)
      .toArray()
      .map((row) => ({ ...row, amountWei: BigInt(row.amountWei) }))
  }
}
