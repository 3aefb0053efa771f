import { max, min } from '../core/bigint.ts'

/** A multiplier in hundredths: 235 is 2.35x. Rules calculate in these integers; only the wire has decimals. */
export type Hundredths = number

/** 1.00x, the multiplier at take-off. */
export const ONE: Hundredths = 100

/** 1,000,000.00x, the highest crash point and the highest target. */
export const MAX_MULTIPLIER: Hundredths = 100_000_000

/** Brings a result in hundredths into the range from {@link ONE} to {@link MAX_MULTIPLIER}. */
export function clampMultiplier(hundredths: bigint): Hundredths {
  return Number(max(BigInt(ONE), min(hundredths, BigInt(MAX_MULTIPLIER))))
}

/** Converts a multiplier to the number on the wire: 235 → 2.35. */
export function toMultiplier(hundredths: Hundredths): number {
  return hundredths / 100
}

/** Converts a multiplier on the wire, with two decimals, to hundredths: 2.35 → 235. */
export function toHundredths(multiplier: number): Hundredths {
  return Math.round(multiplier * 100)
}

/** A multiplier for people: 2.00x, 1.1379x. */
export function showMultiplier(multiplier: number): string {
  return `${multiplier.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 4 })}x`
}

/** A multiplier in hundredths for people: 235 → 2.35x. */
export function showHundredths(multiplier: Hundredths): string {
  return showMultiplier(toMultiplier(multiplier))
}

/** Returns a stake's payout at a multiplier, in smallest units, rounded down once. */
export function payoutOf(amountWei: bigint, multiplier: Hundredths): bigint {
  return (amountWei * BigInt(multiplier)) / 100n
}

/**
 * Returns whether a bet or play paid more than its stake, both in smallest units. Nothing less looks or sounds like a
 * win: the UK's RTS 14F.
 */
export function isGain({ payout, amount }: { payout: string; amount: string }): boolean {
  return BigInt(payout) > BigInt(amount)
}
