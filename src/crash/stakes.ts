import { max, min } from '../core/bigint.ts'
import type { Limits } from '../money/bankroll.ts'
import type { Hundredths } from '../money/multiplier.ts'
import { perToken, TOKENS, type PerToken, type Token } from '../money/token.ts'

export interface TokenLimits extends Limits {
  /** The largest payout of all bets in this token together. */
  maxRoundPayout: string
}

/** One wallet may stake at most 1/SHARE of the remaining room, so that some always remains for others. */
const SHARE = 4n

/** The facts that determine a round's largest stake, in smallest units. */
export interface Table {
  maxRoundPayout: bigint
  /** The stakes in the token so far. */
  stakedWei: bigint
  /** The limits never force a cash-out below this multiplier. */
  minForcedMultiplier: Hundredths
}

/**
 * Returns the largest stake that a round still accepts from one wallet, in smallest units. The round's
 * total stakes, paid at `minForcedMultiplier`, stay within its limit; one wallet gets at most a quarter
 * of the remaining room.
 */
export function largestStake({ maxRoundPayout, stakedWei, minForcedMultiplier }: Table): bigint {
  return max(0n, paidAt(maxRoundPayout, minForcedMultiplier) - stakedWei) / SHARE
}

/**
 * Lowers the largest stake to one that an empty table accepts, and that the payout limit never cashes
 * out below `minForcedMultiplier`.
 */
export function withinTable<L extends TokenLimits>(
  limits: PerToken<L>,
  minForcedMultiplier: Hundredths,
): PerToken<L> {
  return perToken((token) => {
    const { maxPayout, maxRoundPayout } = limits[token]
    const table = { maxRoundPayout: BigInt(maxRoundPayout), stakedWei: 0n, minForcedMultiplier }
    const byPayout = min(BigInt(limits[token].max), paidAt(BigInt(maxPayout), minForcedMultiplier))
    return { ...limits[token], max: min(byPayout, largestStake(table)).toString() }
  })
}

/**
 * Returns the first token without an acceptable stake at an empty table, because the largest acceptable stake is below
 * `min`. Comes with that stake in smallest units; null if every token has an acceptable stake.
 */
export function tooTight(
  limits: PerToken<TokenLimits>,
  minForcedMultiplier: Hundredths,
): { token: Token; largestWei: string } | null {
  const bounded = withinTable(limits, minForcedMultiplier)
  const token = TOKENS.find((each) => BigInt(bounded[each].max) < BigInt(bounded[each].min))
  return token === undefined ? null : { token, largestWei: bounded[token].max }
}

/** Returns the largest stake with a payout within a limit at a multiplier. */
function paidAt(limitWei: bigint, multiplier: Hundredths): bigint {
  return (limitWei * 100n) / BigInt(multiplier)
}
