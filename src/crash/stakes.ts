import { perToken, type PerToken } from '../money/token.ts'
import type { Hundredths } from '../money/multiplier.ts'

/** The share of the room left that one wallet may take: however many come, some is left for the next. */
const SHARE = 4n

/** What decides how much a round takes, in smallest units. */
export interface Table {
  maxRoundPayout: bigint
  /** What has been staked in the token so far. */
  stakedWei: bigint
  /** Nobody is cashed out unasked below this. */
  minForcedMultiplier: Hundredths
}

/**
 * The largest stake that a round still takes from one wallet, in smallest units. All stakes together,
 * paid at `minForcedMultiplier`, stay within the round's limit; one wallet takes at most a quarter of
 * what that leaves.
 */
export function largestStake({ maxRoundPayout, stakedWei, minForcedMultiplier }: Table): bigint {
  const room = paidAt(maxRoundPayout, minForcedMultiplier) - stakedWei
  return room > 0n ? room / SHARE : 0n
}

/** Limits in decimal text, as a round publishes them. */
interface Limits {
  max: string
  maxPayout: string
  maxRoundPayout: string
}

/**
 * Limits whose largest stake an empty table takes, and whose own limit cashes nobody out below
 * `minForcedMultiplier` either.
 */
export function withinTable<L extends Limits>(
  limits: PerToken<L>,
  minForcedMultiplier: Hundredths,
): PerToken<L> {
  return perToken((token) => {
    const { max, maxPayout, maxRoundPayout } = limits[token]
    const table = { maxRoundPayout: BigInt(maxRoundPayout), stakedWei: 0n, minForcedMultiplier }
    const bounds = [
      BigInt(max),
      paidAt(BigInt(maxPayout), minForcedMultiplier),
      largestStake(table),
    ]
    const least = bounds.reduce((a, b) => (a < b ? a : b))
    return { ...limits[token], max: least.toString() }
  })
}

/** The largest stake that pays no more than a limit at a multiplier. */
function paidAt(limitWei: bigint, multiplier: Hundredths): bigint {
  return (limitWei * 100n) / BigInt(multiplier)
}
