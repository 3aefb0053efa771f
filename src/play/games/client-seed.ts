import type { NextPlay } from '../../games/play-request.ts'
import type { SeenPlay } from '../../verify/play.ts'
import { randomHex } from '../random-hex.ts'
import { readText, writeText } from '../storage.ts'
import { Store } from '../store.ts'

const KEY = 'fairhouse.keptClientSeed'
const RANDOM_BYTES = 8

/** The player's own seed for every play; null, the default, draws a fresh one each time. */
export const keptSeed = new Store(readText(KEY))

/** Sets the client seed for all further plays; null returns to fresh ones. */
export function keepSeed(text: string | null): void {
  keptSeed.set(text)
  // A seed that the service would refuse is not stored.
  if (text === null || isClientSeed(text)) writeText(KEY, text)
}

/** Returns whether the service accepts a seed: 1 to 64 printable ASCII characters. */
export function isClientSeed(text: string): boolean {
  return /^[\x20-\x7e]{1,64}$/.test(text)
}

/** The next play, with its client seed. */
export interface SeededPlay extends NextPlay {
  freshSeed: string
}

/**
 * Draws a client seed for a play after its commitment arrived. The same commitment keeps its seed, so that a repeated
 * request is the same play, even after a reload: of two seeds, a house could settle the one that loses. That holds for
 * a refused request, too, because a house could refuse one that would win.
 * @param seen the earlier requests for this play
 */
export function seeded(
  next: NextPlay,
  known: SeededPlay | null,
  seen: SeenPlay | null,
): SeededPlay {
  if (known?.nonce === next.nonce && known.seedHash === next.seedHash) return known
  const sent = seen?.seedHash === next.seedHash ? seen?.asked?.at(-1) : undefined
  return { ...next, freshSeed: sent?.clientSeed ?? randomClientSeed() }
}

export function randomClientSeed(): string {
  return randomHex(RANDOM_BYTES)
}
