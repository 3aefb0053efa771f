import type { Activity } from '../../activity/activity.ts'
import type { Token } from '../../money/token.ts'

/** Returns an activity's change of the player's chips, in smallest units; negative for a loss. */
export function changeOf({ kind, amountWei, payout }: Activity): bigint {
  if (payout !== null) return BigInt(payout) - BigInt(amountWei)
  return kind === 'withdrawal' ? -BigInt(amountWei) : BigInt(amountWei)
}

/**
 * Returns the profit after each bet and play in a token, in smallest units, beginning with zero.
 * @param activities newest first
 */
export function profitsOf(activities: readonly Activity[], token: Token): bigint[] {
  const profits = [0n]
  for (const activity of activities.toReversed()) {
    const isBet = activity.token === token && activity.payout !== null
    if (isBet) profits.push((profits.at(-1) ?? 0n) + changeOf(activity))
  }
  return profits
}

/** The picture of a curve: its points from 0 to `width`, and the height of zero, from 0 at the top. */
export interface Curve {
  points: string
  zero: number
}

/** Returns the curve of some profits, which fills the box. */
export function curveOf(profits: readonly bigint[], width: number, height: number): Curve {
  const lowest = profits.reduce((a, b) => (b < a ? b : a), 0n)
  const highest = profits.reduce((a, b) => (b > a ? b : a), 0n)
  const range = highest - lowest || 1n
  // Thousandths are finer than any screen, and bigints have no fractions.
  const heightOf = (profit: bigint) =>
    (Number(((highest - profit) * 1_000n) / range) / 1_000) * height
  const step = width / Math.max(1, profits.length - 1)
  const points = profits.map(
    (profit, index) => `${rounded(index * step)},${rounded(heightOf(profit))}`,
  )
  return { points: points.join(' '), zero: rounded(heightOf(0n)) }
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
