import { invariant } from '../core/invariant.ts'
import { tierOfRoll, type Prize } from './prizes.ts'
import type { SpinPepper } from './spin.ts'

/** A roll that was made, and what it followed from. */
export interface Rolled {
  /** The payment's hash, or a free spin's name. */
  id: string
  wallet: string
  /** The payment and its block; null of a free spin. */
  txHash: string | null
  blockHash: string | null
  /** A free spin's pepper; null where a payment was rolled over. */
  pepper: SpinPepper | null
  /** The UTC day whose seed decided. */
  day: string
  seedHash: string
  /** 52 bits, as decimal text. */
  roll: string
}

/** What somebody has won, as it is kept. */
export interface Opening extends Rolled {
  /** The bps of every tier, as they were. */
  odds: number[]
  tier: number
  label: string
  /** In the asset's smallest unit. */
  prize: string
  asset: string
  openedAt: number
}

/** What a roll wins of some prizes. @param now in unix milliseconds */
export function openingOf(rolled: Rolled, prizes: readonly Prize[], now: number): Opening {
  const tier = tierOfRoll(BigInt(rolled.roll), prizes)
  const won = prizes[tier]
  invariant(won, 'every roll has a tier')
  const { label, asset, amountWei: prize } = won
  const odds = prizes.map(({ bps }) => bps)
  return { ...rolled, odds, tier, label, prize, asset, openedAt: now }
}

/** How far the prize is on its way. */
export interface PrizeStatus {
  isPaid: boolean
  txHash: string | null
}

/** An opening as the wire shows it. @param seed once the day is over */
export function shownOpening(opening: Opening, status: PrizeStatus, seed: string | null) {
  const { id, txHash, tier, label, prize, asset, day, seedHash, blockHash, roll, odds } = opening
  return {
    ok: true as const,
    open: {
      ...{ id, txHash, tier, label, prize, asset },
      status: status.isPaid ? ('paid' as const) : ('paying' as const),
      prizeTxHash: status.txHash,
      ...{ day, seedHash, seed, blockHash, roll: Number(roll), odds, ...opening.pepper },
    },
  }
}

export type OpeningAnswer = ReturnType<typeof shownOpening>
