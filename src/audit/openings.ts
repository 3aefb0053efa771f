import type { SignedBeacon } from '../fairness/drand.ts'
import { verifyOpening, type DisclosedOpening } from '../verify/opening.ts'
import { findingsOf, type Finding } from './finding.ts'
import { textOf } from './rounds.ts'

/** An opening of an export, with the day of its seed and what it won. */
export interface ExportedOpening extends DisclosedOpening {
  day: string
  prize: string
  asset: string
  /** In unix milliseconds. */
  openedAt: number
}

/** What some openings amount to. */
export interface OpeningsPart {
  findings: Finding[]
  openings: ExportedOpening[]
  /** The signatures of the peppers of free spins, which are verified together. */
  beacons: SignedBeacon[]
}

/** Recomputes openings, but for the signatures of their beacons. */
export function auditOpenings(openings: readonly ExportedOpening[]): OpeningsPart {
  const part: OpeningsPart = { findings: [], openings: [], beacons: [] }
  for (const opening of openings) {
    const { id } = opening
    const where = `opening ${id}`
    const isSigned = (round: number, signature: string) => {
      part.beacons.push({ round, signature })
      return true
    }
    try {
      part.findings.push(...findingsOf(where, verifyOpening(opening, {}, isSigned)))
      part.openings.push(opening)
    } catch (fault) {
      part.findings.push({ where, problem: `it can't be recomputed: ${textOf(fault)}` })
    }
  }
  return part
}

/** The openings of an export: each is there once, and all of a day have one seed. */
export class OpeningSet {
  readonly findings: Finding[] = []
  readonly #ids = new Set<string>()
  readonly #seedHashes = new Map<string, string>()

  get size(): number {
    return this.#ids.size
  }

  add(openings: OpeningsPart['openings']): void {
    for (const { id, day, seedHash } of openings) {
      const where = `opening ${id}`
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
