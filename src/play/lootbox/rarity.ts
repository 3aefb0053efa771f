/** The number of colours. If there are more tiers, the rarest share the last colour. */
const COLOURS = 6

/**
 * Returns the CSS class that colours a tier, from the most likely to the rarest.
 * @param odds each tier's chance in basis points
 */
export function rarity(tier: number, odds: readonly number[]): string {
  const own = odds[tier] ?? 0
  const place = odds.filter((bps, other) => bps > own || (bps === own && other < tier)).length
  return `rarity-${Math.min(place, COLOURS - 1)}`
}
