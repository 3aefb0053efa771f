/** Positions reach D1 up to five minutes late, so counting sooner gives nothing new. */
const FRESH_MS = 300_000
/** The vault's owner may take the house's share for an hour after a result. Half an hour must be left. */
const STALE_MS = 1_800_000

/** A result that has waited longer is not recorded, because the vault would date it today. */
const OLD_MS = 300_000

/** Returns whether a result is too old to be recorded. @param at when it was counted, in unix milliseconds */
export function isOldResult({ at }: { at: number }, now: number): boolean {
  return now - at > OLD_MS
}

/** The house's result that the relayer last sent to the vault. */
interface SentResult {
  resultWei: string
  /** When it was counted, in unix milliseconds. */
  at: number
}

/**
 * Returns whether a result is worth a transaction: it is the first, it differs from the last one sent, or
 * the last one is stale.
 */
export function isWorthRecording(last: SentResult | null, next: SentResult): boolean {
  if (last === null) return true
  const ageMs = next.at - last.at
  return ageMs >= STALE_MS || (ageMs >= FRESH_MS && next.resultWei !== last.resultWei)
}
