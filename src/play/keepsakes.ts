import type { SeenSpin } from '../verify/opening.ts'
import type { SeenPlay } from '../verify/play.ts'
import type { SeenRound } from '../verify/round.ts'
import type { Kind as BoxKind } from './boxes/shop.ts'
import type { Prize } from './lootbox/terms.ts'
import { readKept, writeKept } from './storage.ts'

/**
 * The evidence that this browser keeps for later verification. `seenAt` is in unix milliseconds by this device's clock.
 */
export interface Keepsakes {
  /**
   * By round: its terms as shown before bets closed, its bets as fixed then, the player's own as accepted, and whether
   * this browser has cashed it out.
   */
  rounds: Pick<SeenRound, 'betsRoot' | 'betCount' | 'edgeBps' | 'shownLimits' | 'bet'> &
    Required<Pick<SeenRound, 'seedHash' | 'pepperSource' | 'betsCloseAt' | 'seenAt'>> & {
      hasCashedOut?: true
    }
  /** By UTC day: the lootbox's seed hash, as shown before the first opening. */
  days: { seedHash: string }
  'rounds.fun': Keepsakes['rounds']
  'plays.fun': Keepsakes['plays']
  /** By wallet and nonce: the seed hash shown before the play, and the requests sent for it. */
  plays: SeenPlay
  /**
   * By id: when a free spin was requested, the facts of its first answer, and the hash of the pepper if shown before.
   */
  spins: SeenSpin
  /**
   * By an opening's id: the seed hashes of that day and the next, and the prizes, as shown before the payment or the
   * spin. The wallet was asked for the payment, and named its hash, at the times of `paidWithin`.
   */
  commitments: { seedHashes: string[]; prizes?: Prize[]; paidWithin?: [number, number] }
  /** By id: the newest answer about an opening. */
  openings: { wallet: string; open: object }
  /** By wallet: the secret of its leaves in the count of debts. */
  salts: { walletSalt: string }
  /** By batch of boxes: the pepper's hash before the purchase. */
  batches: { pepperHash: string }
  /**
   * By box bought here: its tiers as shown, and the pepper's hash of the batch on sale before and after the purchase.
   */
  boxes: { pepperHash?: string; tiers?: BoxKind['tiers'] }
}

type Kind = keyof Keepsakes

/** Returns where a player's evidence is kept: that of fun play pushes none of real play out. */
export function kindFor<K extends 'plays' | 'rounds'>(kind: K, isFun: boolean): K | `${K}.fun` {
  return isFun ? `${kind}.fun` : kind
}

const KEEP = 100

const keyOf = (kind: Kind) => `fairhouse.seen.${kind}`

/** Keeps a value unless one is kept already: the first one is the evidence. */
export function keep<K extends Kind>(kind: K, id: string, value: Keepsakes[K]): void {
  if (kept(kind, id) === null) write(kind, [...read(kind), [id, value]])
}

/** Keeps a value in place of an earlier one. @returns as {@link writeKept} */
export function keepNewest<K extends Kind>(kind: K, id: string, value: Keepsakes[K]): boolean {
  return write(kind, [...read(kind).filter(([name]) => !isSame(name, id)), [id, value]])
}

/** Adds to a value that is kept. */
export function keepMore<K extends Kind>(kind: K, id: string, more: Partial<Keepsakes[K]>): void {
  const known = kept(kind, id)
  if (known) keepNewest(kind, id, { ...known, ...more })
}

export function kept<K extends Kind>(kind: K, id: string): Keepsakes[K] | null {
  return read(kind).find(([name]) => isSame(name, id))?.[1] ?? null
}

/** The keepsakes that are evidence about a service. Fun play has none. */
const OF_SERVICE: Kind[] = [
  'rounds',
  'days',
  'plays',
  'spins',
  'commitments',
  'openings',
  'salts',
  'batches',
  'boxes',
]

/** Forgets all evidence about the service. */
export function forgetKeepsakes(): void {
  for (const kind of OF_SERVICE) writeKept(keyOf(kind), null)
}

/** Wallets and hashes in an id may be in any letter case. */
function isSame(id: string, other: string): boolean {
  return id.toLowerCase() === other.toLowerCase()
}

/** Returns the ids, newest first. */
export function keptIds(kind: Kind): string[] {
  return read(kind)
    .map(([id]) => id)
    .toReversed()
}

function read<K extends Kind>(kind: K): [string, Keepsakes[K]][] {
  return readKept(keyOf(kind)) ?? []
}

function write<K extends Kind>(kind: K, entries: [string, Keepsakes[K]][]): boolean {
  return writeKept(keyOf(kind), entries.slice(-KEEP))
}
