import { max, min } from '../core/bigint.ts'
import { DAY_MS } from '../core/utc-day.ts'
import { perToken, type PerToken } from '../money/token.ts'
import type { FeeMarket } from './fees.ts'

/**
 * The most gas of one withdrawal: 400,000 for the wallet's signature and 60,000 for its receipt, both
 * enforced by the vault, plus the gas for the longest signature, the vault and the token.
 */
export const MAX_WITHDRAWAL_GAS = 700_000n

/**
 * The most gas that a wallet with code may take for an amount below the minimum. One whose code does next to nothing
 * needs 136,000 for its first USDG and 166,000 for its first ETH, 60,000 of which the vault reserves for the wallet to
 * receive it. The rest is for a simple signature.
 */
export const SMALL_WITHDRAWAL_GAS = 200_000n

const WEI_PER_GWEI = 1_000_000_000n

/** Gas of a withdrawal, which counts against its wallet's daily allowance. A plain wallet takes 65,000 to 100,000. */
export interface GasDraw {
  /** In unix milliseconds. */
  at: number
  gas: bigint
}

/**
 * Returns when a wallet may draw gas: the earliest time at which its draws of the last 24 hours leave room.
 * A draw larger than the whole allowance waits until no other is left, so it is never impossible.
 * @param draws of this wallet, in any order
 * @param allowance gas in any 24 hours
 * @returns unix milliseconds; 0 if nothing is drawn
 */
export function drawableFrom(draws: GasDraw[], gas: bigint, allowance: bigint): number {
  if (gas === 0n) return 0
  const newestFirst = draws.toSorted((a, b) => b.at - a.at)
  let sum = gas
  for (const draw of newestFirst) {
    sum += draw.gas
    if (sum > allowance) return draw.at + DAY_MS
  }
  return 0
}

/** Returns the market's current price of a unit of gas in wei. */
export function marketPrice({ baseFeePerGas, priorityFeePerGas }: FeeMarket): bigint {
  return baseFeePerGas + priorityFeePerGas
}

/** Returns the current price of a unit of gas in wei, capped at the relayer's maximum. */
export function gasPrice(market: FeeMarket, maxFeePerGas: bigint): bigint {
  return min(marketPrice(market), maxFeePerGas)
}

/**
 * Returns the smallest withdrawal in each token, in smallest units: the configured minimum, or the one
 * derived from the gas price if that is higher. Rounds up.
 * @param perGwei smallest units for each gwei of the gas price
 * @param gasPriceWei null if unknown
 */
export function smallestWithdrawal(
  { fixed, perGwei }: { fixed: PerToken<bigint>; perGwei: PerToken<bigint> },
  gasPriceWei: bigint | null,
): PerToken<bigint> {
  return perToken((token) => {
    const byGas = (perGwei[token] * (gasPriceWei ?? 0n) + WEI_PER_GWEI - 1n) / WEI_PER_GWEI
    return max(byGas, fixed[token])
  })
}
