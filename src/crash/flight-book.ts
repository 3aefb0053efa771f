import { invariant } from '../core/invariant.ts'
import { payoutOf, type Hundredths } from '../money/multiplier.ts'
import type { Bet } from './bet.ts'

/** The parts of a bet that the book needs. */
export interface BookedBet extends Pick<Bet, 'betId' | 'amountWei' | 'cashout'> {
  /** The multiplier of its automatic cash-out; null for none. */
  target: Hundredths | null
}

/** An automatic cash-out and its multiplier. */
export interface ReachedBet {
  betId: string
  multiplier: Hundredths
}

/**
 * The bets in one token during a flight. Tracks live bets, their potential payouts and the next
 * automatic cash-out, all of which depend only on the bets and cash-outs. The exposure limit cashes
 * everyone out at the highest multiplier at which the round's payouts in total stay within its
 * published limit.
 */
export class FlightBook {
  readonly #limitWei: bigint
  readonly #live = new Map<string, BookedBet>()
  /** Bets with a target, lowest last. Bets already cashed out are skipped when reached. */
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

  /** Returns the multiplier of the next automatic cash-out, or null. */
  nextStop(): Hundredths | null {
    const target = this.#nextTarget()?.target ?? null
    const exposure = this.#exposureStop()
    if (target === null || exposure === null) return target ?? exposure
    return Math.min(target, exposure)
  }

  /** Cashes out all bets with a stop at or below this multiplier, and returns them in order of their stops. */
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

  /** Cashes out one live bet at a multiplier. @throws InvariantError if the bet isn't live */
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
