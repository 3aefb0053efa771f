/** Positions reach D1 up to five minutes late: a result that is counted sooner says nothing new. */
const FRESH_MS = 300_000
/** The vault lets its owner take the house's share for an hour after a result: half of it has to be left. */
const STALE_MS = 1_800_000

/** The house's result as the relayer last sent it to the vault. */
export interface SentResult {
  resultWei: string
  /** When it was counted, in unix milliseconds. */
  at: number
}

/**
 * Returns whether a result is worth a transaction: it is the first, it differs from the one sent last, or
 * that one is stale.
 */
export function isWorthRecording(last: SentResult | null, next: SentResult): boolean {
  if (last === null) return true
  const ageMs = next.at - last.at
  return ageMs >= STALE_MS || (ageMs >= FRESH_MS && next.resultWei !== last.resultWei)
}
