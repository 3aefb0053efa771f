import type { RoundNow } from '../../src/crash/due.ts'
import type { Me } from '../../src/ledger/me.ts'
import type { Bets } from './bets.ts'
import type { LedgerKernel } from './kernel.ts'
import type { Withdrawals } from './withdrawals.ts'

/** Returns the wallet as its player sees it. @param now the round as its table reports it; null if it isn't known */
export function meOf(
  kernel: LedgerKernel,
  { bets, withdrawals }: { bets: Bets; withdrawals: Withdrawals },
  now: RoundNow | null,
): Me {
  const { vault } = kernel
  return {
    chips: kernel.amountsOf('chips'),
    quarantine: kernel.amountsOf('quarantine'),
    openBet: bets.openBet(now),
    nonce: vault ? withdrawals.nextNonce(vault.id) : 0,
  }
}
