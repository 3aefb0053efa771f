import type { NextPlay } from '../../games/placement.ts'
import { Store } from '../store.ts'

const KEY = 'fairhouse.keptClientSeed'
const RANDOM_BYTES = 8

/** The seed that the player keeps for every play; null for a fresh one each time, the default. */
export const keptSeed = new Store<string | null>(localStorage.getItem(KEY))

/** Keeps a client seed for every play from here on; null goes back to fresh ones. */
export function keepSeed(text: string | null): void {
  keptSeed.set(text)
  // What the service refuses is not kept beyond this page.
  if (text === null) localStorage.removeItem(KEY)
  else if (isClientSeed(text)) localStorage.setItem(KEY, text)
}

/** Whether the service takes it: 1 to 64 printable ASCII characters. */
export function isClientSeed(text: string): boolean {
  return /^[\x20-\x7e]{1,64}$/.test(text)
}

/** The next play with a client seed drawn for it. */
export interface SeededPlay extends NextPlay {
  freshSeed: string
}

/**
 * Draws a client seed for a play whose commitment has been seen. The same commitment keeps its seed: a play
 * sent again is then the same play.
 */
export function seeded(next: NextPlay, known: SeededPlay | null): SeededPlay {
  const isKnown = known?.nonce === next.nonce && known.seedHash === next.seedHash
  return isKnown ? known : { ...next, freshSeed: randomClientSeed() }
}

export function randomClientSeed(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
