import { messageOf } from '../core/fault.ts'
import { DAY_MS, isoTime, startOfDay } from '../core/utc-day.ts'
import type { Check } from '../fairness/check.ts'
import type { SignedBeacon } from '../fairness/drand.ts'
import { MAX_AGE_MS } from '../payment/judge.ts'
import { verifyOpening, type DisclosedOpening } from '../verify/opening.ts'
import { aheadOfFile, isExportedLate } from './file-day.ts'
import { findingsOf, type Finding } from './finding.ts'

/** An exported opening, with its prize. */
export interface ExportedOpening extends DisclosedOpening {
  wallet: string
  prize: string
  asset: string
  /** In unix milliseconds. */
  openedAt: number
}

/** The result of auditing some openings. */
export interface OpeningsPart {
  findings: Finding[]
  openings: ExportedOpening[]
  /** The signatures of the peppers of free spins, which are verified together. */
  beacons: SignedBeacon[]
}

/** A block's time may be this far ahead of the house's clock. */
const BLOCK_AHEAD_SKEW_MS = 60_000
/** A call with a payment may take this long, from the check of its age to the roll. */
const CALL_MS = 3_600_000
/** A payment may be this old when it is opened. It buys what was on offer when it was made. */
export const PAID_WITHIN_MS = MAX_AGE_MS + CALL_MS

/**
 * Recomputes openings, but for the signatures of their beacons.
 * @param needsBeacon whether the pepper of a free spin must come from a public beacon
 */
export function auditOpenings(
  openings: readonly ExportedOpening[],
  needsBeacon = false,
): OpeningsPart {
  const part: OpeningsPart = { findings: [], openings: [], beacons: [] }
  for (const opening of openings) {
    const { id } = opening
    const where = `opening ${id}`
    const isSigned = (round: number, signature: string) => {
      part.beacons.push({ round, signature })
      return true
    }
    try {
      part.findings.push(...findingsOf(where, verifyOpening(opening, { needsBeacon }, isSigned)))
      part.findings.push(...findingsOf(where, checkPaidOn(opening)))
      part.openings.push(opening)
    } catch (fault) {
      part.findings.push({ where, problem: `it can't be recomputed: ${messageOf(fault)}` })
    }
  }
  return part
}

/**
 * Checks that a payment of the seed's day was young enough to be presented when it was opened. The house knows the
 * seeds of all days, so it must not be free to choose among them.
 */
function checkPaidOn({ from, day, openedAt }: ExportedOpening): Check[] {
  if ('pepper' in from) return []
  const beginsAt = startOfDay(day)
  const holds =
    openedAt >= beginsAt - BLOCK_AHEAD_SKEW_MS && openedAt < beginsAt + DAY_MS + PAID_WITHIN_MS
  const claim = `a payment of ${day}, the day of its seed, could be opened at ${isoTime(openedAt)}`
  return [{ claim, holds }]
}

/**
 * Returns when an opening was made or, of a free spin, taken, in unix milliseconds. The house says so, and could choose
 * another day's seed with another time.
 */
function timeOf({ from, openedAt }: ExportedOpening): number {
  return 'pepper' in from ? from.acceptedAt : openedAt
}

/** The openings of an export: each is there once, and all of a day have one seed. */
export class OpeningSet {
  readonly findings: Finding[] = []
  /** The ids of openings that were exported more than a day late. */
  readonly late: string[] = []
  readonly #ids = new Set<string>()
  readonly #seedHashes = new Map<string, string>()

  get size(): number {
    return this.#ids.size
  }

  /** @param exportedOn the day of their file, as YYYY-MM-DD */
  add(openings: OpeningsPart['openings'], exportedOn: string): void {
    for (const opening of openings) {
      const { id, day, seedHash } = opening
      const where = `opening ${id}`
      const at = timeOf(opening)
      if (isExportedLate(at, exportedOn)) this.late.push(id)
      const ahead = aheadOfFile(at, exportedOn)
      if (ahead !== null) this.findings.push({ where, problem: ahead })
      if (this.#ids.has(id)) this.findings.push({ where, problem: 'it is in the export twice' })
      this.#ids.add(id)
      const known = this.#seedHashes.get(day)
      if (known !== undefined && known !== seedHash) {
        const problem = `its seed is not the one of other openings of ${day}`
        this.findings.push({ where, problem })
      }
      this.#seedHashes.set(day, known ?? seedHash)
    }
  }
}
