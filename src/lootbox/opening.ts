/** What somebody has won, as it is kept. */
export interface Opening {
  /** The payment's hash, or what else it was opened with. */
  id: string
  wallet: string
  txHash: string | null
  blockHash: string | null
  /** The UTC day whose seed decided. */
  day: string
  seedHash: string
  /** 52 bits, as decimal text. */
  roll: string
  /** The bps of every tier, as they were. */
  odds: number[]
  tier: number
  label: string
  /** In the asset's smallest unit. */
  prize: string
  asset: string
  openedAt: number
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
      ...{ day, seedHash, seed, blockHash, roll: Number(roll), odds },
    },
  }
}

export type OpeningAnswer = ReturnType<typeof shownOpening>
