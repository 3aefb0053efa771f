import { isRefusal } from '../../src/core/refusal.ts'
import { LIVE_MS, type Bets } from './bets.ts'
import type { LedgerKernel } from './kernel.ts'
import type { Mines } from './mines.ts'
import type { VaultTransactions } from './vault-transactions.ts'

/** Credits pending chips: deposits, bets that may have won, and a game of mines that has expired. */
export class Refill {
  readonly #kernel: LedgerKernel
  readonly #bets: Bets
  readonly #mines: Mines
  readonly #vaultTransactions: VaultTransactions

  constructor(
    kernel: LedgerKernel,
    parts: { bets: Bets; mines: Mines; vaultTransactions: VaultTransactions },
  ) {
    this.#kernel = kernel
    this.#bets = parts.bets
    this.#mines = parts.mines
    this.#vaultTransactions = parts.vaultTransactions
  }

  /**
   * Checks all pending sources of chips. Returns whether every check was possible.
   * @param liveMs as in `Bets.settleClosed`: 0 where a refusal is stored
   */
  async bringIn(liveMs = LIVE_MS): Promise<boolean> {
    this.#mines.endExpired()
    const haveAnswered = await Promise.all([
      !this.#kernel.isOpen || this.#bets.settleClosed(liveMs),
      this.#vaultTransactions.catchUp(),
    ])
    return haveAnswered.every(Boolean)
  }

  /** Makes an attempt. If it is refused for lack of chips, brings in pending chips and makes it once more. */
  async retryIfShort<T extends object>(attempt: () => Promise<T>): Promise<T> {
    const first = await attempt()
    const isShort = isRefusal(first) && first.error.code === 'insufficient_chips'
    if (!isShort) return first
    await this.bringIn()
    return attempt()
  }
}
