import { invariant } from '../core/invariant.ts'
import { tierOfRoll, type PrizeTier } from './prizes.ts'
import type { SpinPepper } from './spin.ts'

/** A roll, with the inputs that determine it. */
export interface PrizeRoll {
  /** The payment's hash, or a free spin's id. */
  id: string
  wallet: string
  /** The payment's hash, and its block's; null for a free spin. */
  txHash: string | null
  blockHash: string | null
  /** A free spin's pepper; null for a payment. */
  pepper: SpinPepper | null
  /** The UTC day of the seed. */
  day: string
  seedHash: string
  /** 52 bits, as decimal text. */
  roll: string
}

/** An opening as stored: the roll and the prize it won. */
export interface Opening extends PrizeRoll {
  /** The odds of every tier at the time, in basis points. */
  odds: number[]
  tier: number
  label: string
  /** In the asset's smallest unit. */
  prize: string
  asset: string
  openedAt: number
}

/** Returns the opening for a roll: the prize it wins. @param now in unix milliseconds */
export function openingOf(rolled: PrizeRoll, prizes: readonly PrizeTier[], now: number): Opening {
  const tier = tierOfRoll(BigInt(rolled.roll), prizes)
  const won = prizes[tier]
  invariant(won, 'every roll has a tier')
  const { label, asset, amountWei: prize } = won
  const odds = prizes.map(({ bps }) => bps)
  return { ...rolled, odds, tier, label, prize, asset, openedAt: now }
}

/** A prize's payment status. */
export interface PrizeStatus {
  isPaid: boolean
  txHash: string | null
}

/** Converts an opening to its form on the wire. @param seed null until the day has ended */
export function shownOpening(opening: Opening, status: PrizeStatus, seed: string | null) {
  const { id, txHash, tier, label, prize, asset, day, seedHash, blockHash, roll, odds } = opening
  return {
    ok: true as const,
    open: {
      id,
      txHash,
      tier,
      label,
      prize,
      asset,
      status: status.isPaid ? ('paid' as const) : ('paying' as const),
      prizeTxHash: status.txHash,
      day,
      seedHash,
      seed,
      blockHash,
      roll: Number(roll),
      odds,
      ...opening.pepper,
    },
  }
}

export type OpeningAnswer = ReturnType<typeof shownOpening>
