import { invariant } from '../core/invariant.ts'
import { payoutOf, type Hundredths } from '../money/multiplier.ts'

/** A bet as the book needs it. */
export interface BookedBet {
  betId: string
  amountWei: bigint
  /** Where it is cashed out unasked; null for never. */
  target: Hundredths | null
  /** Where it was cashed out already; null while live. */
  cashout: Hundredths | null
}

/** A bet that was cashed out unasked, and where. */
export interface ReachedBet {
  betId: string
  multiplier: Hundredths
}

/**
 * The bets of one token during a flight: which are live, what they would be paid, and which
 * multiplier takes the next of them out. Deterministic in the bets and the cash-outs alone:
 * the exposure limit cashes everyone out at the last multiplier at which paying all of them,
 * on top of what was already paid, stays within the round's published limit.
 */
export class FlightBook {
  readonly #limitWei: bigint
  readonly #live = new Map<string, BookedBet>()
  /** Bets with a target, lowest last; those cashed out meanwhile are skipped when they come up. */
  readonly #byTarget: BookedBet[] = []
  #liveWei = 0n
  #paidWei = 0n

  constructor(bets: Iterable<BookedBet>, limitWei: bigint) {
    this.#limitWei = limitWei
    for (const bet of bets) {
      if (bet.cashout !== null) {
        this.#paidWei += payoutOf(bet.amountWei, bet.cashout)
        continue
      }
      this.#live.set(bet.betId, bet)
      this.#liveWei += bet.amountWei
      if (bet.target !== null) this.#byTarget.push(bet)
    }
    this.#byTarget.sort((a, b) => (b.target ?? 0) - (a.target ?? 0))
  }

  /** The lowest multiplier at which somebody is cashed out unasked; null if nobody will be. */
  nextStop(): Hundredths | null {
    const target = this.#nextTarget()?.target ?? null
    const exposure = this.#exposureStop()
    if (target === null || exposure === null) return target ?? exposure
    return Math.min(target, exposure)
  }

  /** Takes out everyone whose stop lies at or below this multiplier, in the order they are reached. */
  reach(multiplier: Hundredths): ReachedBet[] {
    const reached: ReachedBet[] = []
    for (let stop = this.nextStop(); stop !== null && stop <= multiplier; stop = this.nextStop()) {
      const next = this.#nextTarget()
      const leaving = next?.target === stop ? [next] : [...this.#live.values()]
      for (const bet of leaving) {
        this.cashOut(bet.betId, stop)
        reached.push({ betId: bet.betId, multiplier: stop })
      }
    }
    return reached
  }

  /** Takes out one live bet at a multiplier. */
  cashOut(betId: string, multiplier: Hundredths): void {
    const bet = this.#live.get(betId)
    invariant(bet, `bet ${betId} is not live`)
    this.#live.delete(betId)
    this.#liveWei -= bet.amountWei
    this.#paidWei += payoutOf(bet.amountWei, multiplier)
    invariant(this.#paidWei <= this.#limitWei, 'a round paid more than its published limit')
  }

  #nextTarget(): BookedBet | undefined {
    let next = this.#byTarget.at(-1)
    while (next && !this.#live.has(next.betId)) {
      this.#byTarget.pop()
      next = this.#byTarget.at(-1)
    }
    return next
  }

  #exposureStop(): Hundredths | null {
    if (this.#liveWei === 0n) return null
    const stop = ((this.#limitWei - this.#paidWei) * 100n) / this.#liveWei
    return stop <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(stop) : null
  }
}
