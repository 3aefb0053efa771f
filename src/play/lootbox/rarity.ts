/** Tiers with a colour of their own; of more, the rarest share the last. */
const COLOURS = 6

/**
 * Returns the class that colours a tier, by its place from the most likely to the rarest.
 * @param odds each tier's chance of 10000
 */
export function rarity(tier: number, odds: readonly number[]): string {
  const own = odds[tier] ?? 0
  const place = odds.filter((bps, other) => bps > own || (bps === own && other < tier)).length
  return `rarity-${Math.min(place, COLOURS - 1)}`
}
