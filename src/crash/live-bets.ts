import { invariant } from '../core/invariant.ts'
import { payoutOf, type Hundredths } from '../money/multiplier.ts'
import { perToken, type PerToken } from '../money/token.ts'
import { targetOf, type Bet } from './bet.ts'
import { limitsOf, type RoundPlan } from './plan.ts'

/** The parts of a bet that {@link LiveBets} needs. */
export interface LiveBet extends Pick<Bet, 'betId' | 'amountWei' | 'cashout'> {
  /** The multiplier of its automatic cash-out; null for none. */
  target: Hundredths | null
}

/** An automatic cash-out and its multiplier. */
interface ReachedBet {
  betId: string
  multiplier: Hundredths
}

/**
 * Returns the highest multiplier at which a round can still pay everyone left without passing its published limit, if
 * each bet stays until its target; null if all have left before. It follows from the bets alone: otherwise a house that
 * knows the crash point could steer it, by letting its own bets leave or stay.
 */
function exposureStop(bets: readonly LiveBet[], limitWei: bigint): Hundredths | null {
  let leftWei = bets.reduce((sum, { amountWei }) => sum + amountWei, 0n)
  let paidWei = 0n
  const stop = () => ((limitWei - paidWei) * 100n) / leftWei
  const withTarget = bets.flatMap(({ amountWei, target }) =>
    target === null ? [] : [{ amountWei, target }],
  )
  for (const { amountWei, target } of withTarget.toSorted((a, b) => a.target - b.target)) {
    if (stop() < target) break
    paidWei += payoutOf(amountWei, target)
    leftWei -= amountWei
    if (leftWei === 0n) return null
  }
  if (leftWei === 0n) return null
  return stop() <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(stop()) : null
}

/** The live bets in one token during a flight, and the highest multiplier at which each can leave. */
export class LiveBets {
  readonly #limitWei: bigint
  readonly #live = new Map<string, LiveBet>()
  /** The bets with a stop, lowest last. Those already cashed out are skipped when reached. */
  readonly #stops: { betId: string; stop: Hundredths }[] = []
  #paidWei = 0n

  constructor(bets: readonly LiveBet[], limitWei: bigint) {
    this.#limitWei = limitWei
    const exposure = exposureStop(bets, limitWei) ?? Infinity
    for (const bet of bets) {
      if (bet.cashout !== null) {
        this.#paidWei += payoutOf(bet.amountWei, bet.cashout)
        continue
      }
      this.#live.set(bet.betId, bet)
      const stop = Math.min(bet.target ?? Infinity, exposure)
      if (stop !== Infinity) this.#stops.push({ betId: bet.betId, stop })
    }
    // Equal stops leave in the order of their bets.
    this.#stops.reverse().sort((a, b) => b.stop - a.stop)
  }

  get isEmpty(): boolean {
    return this.#live.size === 0
  }

  /** Returns the multiplier of the next automatic cash-out, or null. */
  nextStop(): Hundredths | null {
    let next = this.#stops.at(-1)
    while (next && !this.#live.has(next.betId)) {
      this.#stops.pop()
      next = this.#stops.at(-1)
    }
    return next?.stop ?? null
  }

  /** Cashes out all bets with a stop at or below this multiplier, and returns them in order of their stops. */
  reach(multiplier: Hundredths): ReachedBet[] {
    const reached: ReachedBet[] = []
    for (let stop = this.nextStop(); stop !== null && stop <= multiplier; stop = this.nextStop()) {
      const { betId } = this.#stops.pop() ?? { betId: '' }
      this.cashOut(betId, stop)
      reached.push({ betId, multiplier: stop })
    }
    return reached
  }

  /** Cashes out one live bet at a multiplier. @throws InvariantError if the bet isn't live */
  cashOut(betId: string, multiplier: Hundredths): void {
    const bet = this.#live.get(betId)
    invariant(bet, `bet ${betId} is not live`)
    this.#live.delete(betId)
    this.#paidWei += payoutOf(bet.amountWei, multiplier)
    invariant(this.#paidWei <= this.#limitWei, 'a round paid more than its published limit')
  }
}

/** Returns a round's live bets by token, held to the limits of its plan. */
export function liveBetsOf(plan: RoundPlan, bets: readonly Bet[]): PerToken<LiveBets> {
  return perToken((token) => {
    const { maxPayout, maxRoundPayout } = limitsOf(plan, token)
    const withTargets = bets
      .filter((bet) => bet.token === token)
      .map((bet) => ({ ...bet, target: targetOf(bet, maxPayout) }))
    return new LiveBets(withTargets, maxRoundPayout)
  })
}
