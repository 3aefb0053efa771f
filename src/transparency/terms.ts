import { canonicalJson } from '../core/canonical-json.ts'
import { sha256Hex } from '../core/sha256.ts'

/** The terms of play in force, as shown to players. */
export interface TermsSummary {
  /** The sha256 of the terms' canonical JSON, in hex. */
  hash: string
  /** Whether the page may bet automatically. */
  autoplay: boolean
  /** Whether the page offers play without a wallet, with chips that are worth nothing. */
  funChips: boolean
  /** The shortest time between two plays, in milliseconds. */
  minPlayMs: number
}

/** Returns the hash of some terms, and the parts that a page needs. */
export function termsSummary(terms: Omit<TermsSummary, 'hash'>): TermsSummary {
  const { autoplay, funChips, minPlayMs } = terms
  const hash = sha256Hex(canonicalJson(terms))
  return { hash, autoplay, funChips, minPlayMs }
}
