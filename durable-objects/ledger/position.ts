import { savePosition } from '../../src/history/positions.ts'
import { HOUSE } from '../../src/ledger/accounts.ts'
import type { Bets } from './bets.ts'
import type { Books } from './books.ts'
import type { Movements } from './movements.ts'

/** Returns the part that sends the wallet's position to D1, even if D1 has it. */
export function positionPart(books: Books, bets: Bets, movements: Movements) {
  const tell = () =>
    savePosition(books.env.DB, {
      wallet: books.wallet,
      version: books.operations.head().seq,
      balances: books.operations.balances(),
      unresolved: bets.holds.open().length > 0,
      hasDeposited: books.wallet !== HOUSE && movements.hasAny(),
      at: books.clock.now(),
    })
  return { tell }
}
