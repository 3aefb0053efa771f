import { invariant } from '../core/invariant.ts'
import { payoutOf } from '../money/multiplier.ts'
import type { Bet } from './bet.ts'
import { RECENT_WINS_LENGTH, type Win } from './result.ts'

/** The largest number of cash-outs in one report. */
const REPORTED_WINS = 1_000

/**
 * The cash-outs of a round, in the order of their times, and of their wallets within a millisecond: a round that is loaded again has
 * the same order, whichever was decided first.
 */
export class Wins {
  readonly #all: Win[] = []
  #isSorted = true
  #newest: Win[] = []

  /** The newest cash-outs, newest first. */
  get newest(): Win[] {
    return this.#newest
  }

  /** Returns the number of cash-outs before a time. No later one comes before them, once that time has come. */
  countBefore(at: number): number {
    return this.#sorted().findLastIndex((win) => win.at < at) + 1
  }

  /** Returns the cash-outs from one position up to another, limited to the newest. */
  between(from: number, to: number): Win[] {
    return this.#sorted().slice(Math.max(from, to - REPORTED_WINS), to)
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
    this.#all.push(win)
    this.#isSorted = false
    this.#newest = [win, ...this.#newest].sort((a, b) => inOrder(b, a)).slice(0, RECENT_WINS_LENGTH)
  }

  #sorted(): readonly Win[] {
    if (!this.#isSorted) this.#all.sort(inOrder)
    this.#isSorted = true
    return this.#all
  }
}

function inOrder(a: Win, b: Win): number {
  return a.at - b.at || (a.wallet < b.wallet ? 1 : -1)
}
