/** An order for the relayer to have the pool pay a prize. */
export interface PrizeOrder {
  kind: 'prize'
  /** The prize's id in the pool, which pays it once: 32 bytes in hex with 0x. */
  prizeId: `0x${string}`
  pool: string
  /** The pool's chain. */
  chainId: number
  to: string
  asset: string
  /** In the asset's smallest unit. */
  amountWei: string
  /** The name of the object that owns the opening and receives the reports. */
  opening: string
}

/**
 * Returns the most that a swap may cost, in wei: the feed's price plus the slippage, rounded up.
 * @param amount the amount bought, in the token's smallest unit
 * @param price the price of a whole token in the chain's native coin, with `priceDecimals` decimals
 */
export function mostFor(
  amount: bigint,
  decimals: number,
  {
    price,
    priceDecimals,
    slippageBps,
  }: { price: bigint; priceDecimals: number; slippageBps: number },
): bigint {
  const numerator = amount * price * 10n ** 18n * BigInt(10_000 + slippageBps)
  const denominator = 10n ** BigInt(decimals + priceDecimals) * 10_000n
  return (numerator + denominator - 1n) / denominator
}
