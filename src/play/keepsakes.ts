/**
 * What this browser keeps so that its player can hold the house to it later. `seenAt` is in unix
 * milliseconds by this device's clock.
 */
export interface Keepsakes {
  /** By round: what was shown before bets closed. */
  rounds: { seedHash: string; pepperSource: unknown; betsCloseAt: number; seenAt: number }
  /** By UTC day: the lootbox's seed hash, as it was shown before the first opening. */
  days: { seedHash: string }
  /** By wallet and nonce: the seed hash shown before the play, and the client seed that was sent. */
  plays: { seedHash: string; clientSeed: string }
  /** By id: when a free spin was asked for first. */
  spins: { seenAt: number }
  /** By id: the answer that opened a lootbox. */
  openings: { wallet: string; open: object }
  /** By batch of boxes: the pepper's hash, as it was before the purchase. */
  batches: { pepperHash: string }
}

type Kind = keyof Keepsakes

const KEEP = 100

const keyOf = (kind: Kind) => `fairhouse.seen.${kind}`

/** Keeps what is new; the first word on something stands, since that is what the house is held to. */
export function keep<K extends Kind>(kind: K, id: string, value: Keepsakes[K]): void {
  const known = read(kind)
  if (!known.some(([name]) => name === id)) write(kind, [...known, [id, value]])
}

/** Keeps the newest word on something. */
export function keepNewest<K extends Kind>(kind: K, id: string, value: Keepsakes[K]): void {
  write(kind, [...read(kind).filter(([name]) => name !== id), [id, value]])
}

export function kept<K extends Kind>(kind: K, id: string): Keepsakes[K] | null {
  return read(kind).find(([name]) => name === id)?.[1] ?? null
}

/** The newest first. */
export function keptIds(kind: Kind): string[] {
  return read(kind)
    .map(([id]) => id)
    .toReversed()
}

function read<K extends Kind>(kind: K): [string, Keepsakes[K]][] {
  try {
    return JSON.parse(localStorage.getItem(keyOf(kind)) ?? '[]') as [string, Keepsakes[K]][]
  } catch {
    return []
  }
}

function write<K extends Kind>(kind: K, entries: [string, Keepsakes[K]][]): void {
  try {
    localStorage.setItem(keyOf(kind), JSON.stringify(entries.slice(-KEEP)))
  } catch {
    // A browser that keeps nothing still plays; its player holds the house to less.
  }
}
