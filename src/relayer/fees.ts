import { max, min } from '../core/bigint.ts'

/** EIP-1559 fees of a transaction, in wei per gas. */
export interface Fees {
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

/** The chain's current fees, in wei per gas. */
export interface FeeMarket {
  baseFeePerGas: bigint
  priorityFeePerGas: bigint
}

/** Nodes accept a replacement only if both fees rise by a tenth; an eighth is safely above that. */
const BUMP_NUMERATOR = 9n
const BUMP_DENOMINATOR = 8n

/** Leaves room, under the operator's cap, for the base fee to double, which takes six full blocks. */
export function freshFees(market: FeeMarket, maxFeeCap: bigint): Fees {
  const wanted = 2n * market.baseFeePerGas + market.priorityFeePerGas
  return bounded(
    { maxFeePerGas: wanted, maxPriorityFeePerGas: market.priorityFeePerGas },
    maxFeeCap,
  )
}

/** The fees of a stuck transaction rise up to this multiple of the market's: more would only waste ETH. */
const MAX_TIMES_MARKET = 10n
/** A tip may rise this far in any case, in wei per gas: nodes may suggest a tip of 0, which no multiple exceeds. */
const TIP_ALWAYS_ALLOWED = 1_000_000n

/**
 * Returns the fees that replace a transaction: an eighth more, or the market's fees if those are
 * higher. Null if the cap leaves no room.
 */
export function replacementFees(replaced: Fees, market: FeeMarket, maxFeeCap: bigint): Fees | null {
  const fresh = freshFees(market, maxFeeCap)
  const fees = {
    maxFeePerGas: max(bumped(replaced.maxFeePerGas), fresh.maxFeePerGas),
    maxPriorityFeePerGas: max(bumped(replaced.maxPriorityFeePerGas), fresh.maxPriorityFeePerGas),
  }
  return fees.maxFeePerGas > maxFeeCap ? null : bounded(fees, maxFeeCap)
}

/**
 * Returns the fees that replace a stuck transaction; null if the cap leaves no room, or if it pays the market's already
 * and they would exceed ten times those. Then fees are not why it is stuck.
 */
export function raisedFees(stuck: Fees, market: FeeMarket, maxFeeCap: bigint): Fees | null {
  const fees = replacementFees(stuck, market, maxFeeCap)
  const isCheap =
    stuck.maxFeePerGas < market.baseFeePerGas + market.priorityFeePerGas ||
    stuck.maxPriorityFeePerGas < market.priorityFeePerGas
  if (!fees || isCheap) return fees
  const mostTip = max(MAX_TIMES_MARKET * market.priorityFeePerGas, TIP_ALWAYS_ALLOWED)
  const mostFee = MAX_TIMES_MARKET * 2n * market.baseFeePerGas + mostTip
  return fees.maxPriorityFeePerGas > mostTip || fees.maxFeePerGas > mostFee ? null : fees
}

/**
 * Returns the highest fees for a replacement. Nodes that still know the stuck transaction may reject them as too low.
 */
export function highestFees({ maxPriorityFeePerGas }: Fees, maxFeeCap: bigint): Fees {
  const fees = { maxFeePerGas: maxFeeCap, maxPriorityFeePerGas: bumped(maxPriorityFeePerGas) }
  return bounded(fees, maxFeeCap)
}

function bumped(fee: bigint): bigint {
  return (fee * BUMP_NUMERATOR) / BUMP_DENOMINATOR + 1n
}

function bounded({ maxFeePerGas, maxPriorityFeePerGas }: Fees, cap: bigint): Fees {
  const capped = min(maxFeePerGas, cap)
  return { maxFeePerGas: capped, maxPriorityFeePerGas: min(maxPriorityFeePerGas, capped) }
}
