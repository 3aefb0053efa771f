/** A prize that the relayer is asked to have the pool pay. */
export interface PrizeOrder {
  kind: 'prize'
  /** What the pool knows it by, so that it is paid once: 32 bytes in hex with 0x. */
  prizeId: `0x${string}`
  pool: string
  to: string
  asset: string
  /** In the asset's smallest unit. */
  amountWei: string
  /** The name of the object that owns the opening, and is told. */
  opening: string
}

/**
 * The most that a swap may cost, in wei: what the feed says, and the slippage on top, rounded up.
 * @param amount what is bought, in the token's smallest unit
 * @param price of a whole token in the chain's own coin, with `priceDecimals` decimals
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
