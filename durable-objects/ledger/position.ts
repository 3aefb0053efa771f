import { savePosition } from '../../src/history/positions.ts'
import { HOUSE } from '../../src/ledger/accounts.ts'
import type { Bets } from './bets.ts'
import type { Books, LedgerPart } from './books.ts'
import type { Movements } from './movements.ts'

/** The wallet's position in D1. */
export class Position implements LedgerPart {
  readonly #books: Books
  readonly #bets: Bets
  readonly #movements: Movements

  constructor(books: Books, parts: { bets: Bets; movements: Movements }) {
    this.#books = books
    this.#bets = parts.bets
    this.#movements = parts.movements
  }

  /** Sends the position to D1, even if D1 has it. */
  tell(): Promise<void> {
    const { env, wallet, operations, clock } = this.#books
    return savePosition(env.DB, {
      wallet,
      version: operations.head().seq,
      balances: operations.balances(),
      unresolved: this.#bets.holds.open().length > 0,
      hasDeposited: wallet !== HOUSE && this.#movements.hasAny(),
      at: clock.now(),
    })
  }
}
