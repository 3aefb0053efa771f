import { DAY_MS } from '../core/utc-day.ts'
import type { OpenGame } from '../exports/manifest.ts'
import type { PlayRun } from './plays.ts'

/** The games that the days of an export name as open. */
export class OpenGames {
  /**
   * Games that three or more days have listed although their wallets had no rows. The ledger may not have answered, so
   * that nothing newer is known of the game.
   */
  readonly long = new Set<string>()
  /** The first day that names a game, by the game's name. */
  readonly #since = new Map<string, string>()
  /** The wallets that have plays in the current day's file. */
  readonly #wallets = new Set<string>()

  addPlays(runs: readonly PlayRun[]): void {
    for (const { wallet } of runs) this.#wallets.add(wallet)
  }

  /**
   * Ends a day. Returns problems with its open games: a game ends within a day, so it may be open on two days. The rows
   * of a wallet show that its ledger was asked for its game, too.
   */
  endDay(day: string, games: readonly OpenGame[]): string[] {
    const problems: string[] = []
    for (const { wallet, nonce } of games) {
      const name = `${wallet} ${nonce}`
      const since = this.#since.get(name) ?? day
      this.#since.set(name, since)
      if (Date.parse(day) - Date.parse(since) <= DAY_MS) continue
      if (this.#wallets.has(wallet)) problems.push(`the game ${name} is open since ${since}`)
      else this.long.add(name)
    }
    this.#wallets.clear()
    return problems
  }
}
