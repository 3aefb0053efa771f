import type { BetOrder } from '../../src/crash/bet.ts'
import type { Hundredths } from '../../src/money/multiplier.ts'
import { TOKENS, type Token } from '../../src/money/token.ts'
import type { Part } from '../kernel/kernel.ts'
import type { Stored } from '../kernel/stored.ts'
import type { Operations } from './operations.ts'

/** A bet whose stake is held until its round reports how it ended. */
export interface HeldBet extends BetOrder {
  betId: string
  roundId: number
  target: Hundredths | null
  placedAt: number
  /** Until then the round may still be asked to accept the bet, so it isn't asked how the bet ended. */
  closesAt: number
}

const TABLES = `
  CREATE TABLE open_bets (
    bet_id TEXT PRIMARY KEY,
    round_id INTEGER NOT NULL,
    token TEXT NOT NULL,
    amount_wei TEXT NOT NULL,
    auto_cashout INTEGER,
    target INTEGER,
    placed_at INTEGER NOT NULL,
    closes_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`

/**
 * The unresolved bets of one ledger. Every method runs in its caller's transaction. If that is undone, the
 * state in memory must be dropped.
 */
export class OpenBets implements Part {
  readonly migration = { id: 'open-bets', sql: TABLES }
  readonly #sql: SqlStorage
  readonly #operations: Operations
  #all: readonly HeldBet[] | null = null

  constructor(sql: SqlStorage, operations: Operations) {
    this.#sql = sql
    this.#operations = operations
  }

  insert(bet: HeldBet): void {
    this.#sql.exec(
      `INSERT INTO open_bets
         (bet_id, round_id, token, amount_wei, auto_cashout, target, placed_at, closes_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[bet.betId, bet.roundId, bet.token, bet.amountWei.toString()],
      ...[bet.autoCashout, bet.target, bet.placedAt, bet.closesAt],
    )
    if (this.#all) this.#all = [...this.#all, bet]
  }

  delete(betId: string): void {
    this.#sql.exec('DELETE FROM open_bets WHERE bet_id = ?', betId)
    if (this.#all) this.#all = this.#all.filter((bet) => bet.betId !== betId)
  }

  find(betId: string): HeldBet | undefined {
    return this.all().find((bet) => bet.betId === betId)
  }

  /** Returns every unresolved bet, oldest round first. Reads nothing if no stake is held. */
  all(): readonly HeldBet[] {
    if (this.#all === null) {
      const balances = this.#operations.balances()
      const holdsAny = TOKENS.some((token) => balances[token].in_play > 0n)
      this.#all = holdsAny ? this.#stored() : []
    }
    return this.#all
  }

  /** Returns the total that unresolved bets hold in a token, in smallest units, by their rows. */
  total(token: Token): bigint {
    return this.#stored()
      .filter((bet) => bet.token === token)
      .reduce((total, bet) => total + bet.amountWei, 0n)
  }

  /** Drops the state in memory. The database has it, or has undone it. */
  forget(): void {
    this.#all = null
  }

  #stored(): HeldBet[] {
    return this.#sql
      .exec<Stored<HeldBet>>(
        `SELECT bet_id AS betId, round_id AS roundId, token, amount_wei AS amountWei, target,
           auto_cashout AS autoCashout, placed_at AS placedAt, closes_at AS closesAt
         FROM open_bets ORDER BY round_id`,
      )
      .toArray()
      .map((row) => ({ ...row, amountWei: BigInt(row.amountWei) }))
  }
}
