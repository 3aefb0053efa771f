import { invariant } from '../core/invariant.ts'
import { payoutOf } from '../money/multiplier.ts'
import type { Bet } from './bet.ts'
import { RECENT_WINS_LENGTH, type Win } from './result.ts'

/** The largest number of cash-outs in one report. */
const REPORTED_WINS = 1_000

/** The cash-outs of a round. */
export class Wins {
  /** In the order they were decided. */
  readonly #decided: Win[] = []
  #newest: Win[] = []

  /** The newest cash-outs, newest first. */
  get newest(): Win[] {
    return this.#newest
  }

  get count(): number {
    return this.#decided.length
  }

  /** Returns the cash-outs after the first `since`, in the order they were decided, limited to the newest. */
  after(since: number): Win[] {
    return this.#decided.slice(Math.max(since, this.#decided.length - REPORTED_WINS))
  }

  add({ wallet, token, amountWei, cashout, cashedOutAt }: Bet): void {
    invariant(cashout !== null && cashedOutAt !== null, 'a win is a cash-out')
    const win = {
      wallet,
      token,
      amountWei: amountWei.toString(),
      multiplier: cashout,
      payoutWei: payoutOf(amountWei, cashout).toString(),
      at: cashedOutAt,
    }
    this.#decided.push(win)
    this.#newest = [win, ...this.#newest]
      .sort((a, b) => b.at - a.at || (a.wallet < b.wallet ? -1 : 1))
      .slice(0, RECENT_WINS_LENGTH)
  }
}
