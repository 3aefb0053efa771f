import { refuse, type Refusal } from '../../core/refusal.ts'
import { targetOf } from '../../crash/bet.ts'
import { BETTING_CLOSED } from '../../crash/refusals.ts'
import { checkAvailable, checkBounds } from '../../ledger/refusals.ts'
import { ONE, payoutOf, type Hundredths } from '../../money/multiplier.ts'
import { FUN } from '../../money/token.ts'
import { FUN_LIMITS } from './fun.ts'
import { moved, type Purse, type PurseTransition } from './purse.ts'

/** A bet in a live round. */
export interface FunBet {
  roundId: number
  /** In smallest units, as text. */
  amountWei: string
  autoCashout: Hundredths | null
  /** The multiplier of its automatic cash-out, forced ones included; null for none. */
  target: Hundredths | null
  placedAt: number
}

export interface EndedBet {
  roundId: number
  /** Null unless it was cashed out. */
  multiplier: Hundredths | null
  /** In smallest units, as text: the stake if the round was voided. */
  payoutWei: string
}

/** The service's public data on a round. */
export type PublishedRound =
  /** It has reached this multiplier. */
  | { kind: 'flight'; multiplier: Hundredths }
  | { kind: 'crashed'; crash: Hundredths }
  | { kind: 'voided' }

interface FunBetRequest {
  roundId: number
  amountWei: bigint
  autoCashout: Hundredths | null
  /** Whether the round accepts bets. */
  isOpen: boolean
  at: number
}

const KEPT_BETS = 20

/** Bets in a live round. The same bet asked for again is the same bet. */
export function placeBet(purse: Purse, request: FunBetRequest): PurseTransition<null> | Refusal {
  const { roundId, amountWei, autoCashout, isOpen, at } = request
  const known = purse.bet
  if (known) {
    const isAgain =
      known.roundId === roundId &&
      known.amountWei === amountWei.toString() &&
      known.autoCashout === autoCashout
    return isAgain ? { purse, answer: null } : refuse('bet_exists', 'You have a bet already.')
  }
  if (!isOpen || purse.bets[0]?.roundId === roundId) {
    return BETTING_CLOSED
  }
  const refusal =
    checkBounds(amountWei, FUN_LIMITS) ?? checkAvailable(FUN, amountWei, BigInt(purse.chipsWei))
  if (refusal) return refusal
  const target = targetOf({ amountWei, autoCashout }, FUN_LIMITS.maxPayout)
  const bet = { roundId, amountWei: amountWei.toString(), autoCashout, target, placedAt: at }
  return { purse: { ...moved(purse, -amountWei), bet }, answer: null }
}

/**
 * Cashes the bet out at the multiplier that the page shows. Whether the round got there is known once that is
 * published.
 */
export function cashOutAt(purse: Purse, shown: Hundredths): Purse {
  const { bet } = purse
  return bet ? { ...purse, bet: { ...bet, target: Math.min(shown, bet.target ?? shown) } } : purse
}

/** Settles the bet if the public data on its round decides it. */
export function settleBet(purse: Purse, published: PublishedRound): Purse {
  const { bet } = purse
  const end = bet && endOf(bet, published)
  if (!end) return purse
  const bets = [end, ...purse.bets].slice(0, KEPT_BETS)
  return { ...moved(purse, BigInt(end.payoutWei)), bet: null, bets }
}

/** Returns the stake of a bet whose round the service no longer knows. */
export function returnBet(purse: Purse): Purse {
  return settleBet(purse, { kind: 'voided' })
}

/** @returns null while it is undecided */
function endOf({ roundId, amountWei, target }: FunBet, published: PublishedRound): EndedBet | null {
  if (published.kind === 'voided') return { roundId, multiplier: null, payoutWei: amountWei }
  const { kind } = published
  const reached = kind === 'flight' ? published.multiplier : published.crash
  // Nobody can cash out of a round that crashes at take-off.
  const hasFlown = kind === 'flight' || reached > ONE
  if (target !== null && target <= reached && hasFlown) {
    const payoutWei = payoutOf(BigInt(amountWei), target).toString()
    return { roundId, multiplier: target, payoutWei }
  }
  return kind === 'crashed' ? { roundId, multiplier: null, payoutWei: '0' } : null
}
