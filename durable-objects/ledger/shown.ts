import type { RoundNow } from '../../src/crash/due.ts'
import type { Me } from '../../src/ledger/me.ts'
import type { Bets } from './bets.ts'
import type { Books } from './books.ts'
import type { Withdrawals } from './withdrawals.ts'

/** Returns what players see of their wallet. @param now the round as its table reports it; null if it isn't known */
export function meOf(
  books: Books,
  { bets, withdrawals }: { bets: Bets; withdrawals: Withdrawals },
  now: RoundNow | null,
): Me {
  const { vault } = books
  return {
    chips: books.amountsOf('chips'),
    quarantine: books.amountsOf('quarantine'),
    openBet: bets.openBet(now),
    nonce: vault ? withdrawals.nextNonce(vault.id) : 0,
  }
}
