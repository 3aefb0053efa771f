import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex } from '@noble/hashes/utils'
import { canonicalJson } from '../core/canonical-json.ts'
import { utf8 } from '../core/utf8.ts'

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
  const hash = bytesToHex(sha256(utf8(canonicalJson(terms))))
  return { hash, autoplay, funChips, minPlayMs }
}
