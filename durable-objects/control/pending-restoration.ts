import type { Position } from '../../src/history/positions.ts'
import type { EntryId, LastKnownState } from '../../src/ledger/restoration.ts'
import { readAmounts, type PerToken } from '../../src/money/token.ts'
import type { Safeguards } from '../../src/protection/safeguards.ts'
import { textOf } from '../kernel/stored.ts'
import type { OwnStanding } from '../ledger/recovery.ts'

/** A state that a ledger is known to have had before it lost entries. */
interface Known extends LastKnownState {
  at: number
  /** The entry that left these balances and identifies the state. */
  entry: EntryId
}

/** A known state, with all safeguards that the player is known to have set. */
export interface NotedState extends Known {
  safeguards: Safeguards[]
}

/** A restoration that has not been completed. */
export interface PendingRestoration {
  known: NotedState
  undo: string | null
  /** The latest entry that was left; null before the ledger has gone back. */
  kept: EntryId | null
}

/** A {@link PendingRestoration} as it is stored. */
export type PendingRow = { known: string; undo: string | null; kept: string | null }

/** Reads a stored restoration. */
export function readPending({ known, undo, kept }: PendingRow): PendingRestoration {
  return {
    known: knownOf(known),
    undo,
    kept: kept === null ? null : (JSON.parse(kept) as EntryId),
  }
}

/** The states that {@link lastKnown} chooses from, besides the ledger's own. */
interface KnownElsewhere {
  /** Whether the ledger has D1's entry, if D1 has one. */
  hasListed: boolean
  /** States from before the returns of uncompleted restorations, if the ledger lacks them. */
  gone: Known[]
  /** D1's position. */
  listed: Known | null
  /** Whether this restoration takes the ledger to an earlier time, so that its own latest entries are lost, too. */
  goesBack: boolean
}

/**
 * Returns the state to which a ledger is restored; null if no state is known. A ledger that lacks an entry known
 * elsewhere has gone back, so its own balances don't count, however many entries it has added since. If the ledger has
 * D1's entry, D1's balances don't count either: whether they are from before or after the return, they add nothing to
 * the ledger's own.
 * @param own null if the ledger is too damaged to answer
 */
export function lastKnown(
  own: Known | null,
  { hasListed, gone, listed, goesBack }: KnownElsewhere,
): Known | null {
  if (own && hasListed && gone.length === 0) return own
  const candidates = listed && !(own && hasListed) ? [...gone, listed] : gone
  const [first, ...others] = candidates
  if (!first) return null
  // Of two states with the same number, the first counts, because it may have a hash.
  const latest = others.reduce((most, one) => (one.entry.seq > most.entry.seq ? one : most), first)
  // Later entries may be lost, too, and their numbers must not be used again.
  const { seq, hash } = [...candidates, ...(own && goesBack ? [own] : [])].reduce(
    (most, one) => (one.seq > most.seq ? one : most),
    latest,
  )
  return { ...latest, seq, hash: latest.hash === null ? null : hash }
}

function knownOf(text: string): NotedState {
  const { balances, writtenOffWei, ...known } = JSON.parse(text) as Omit<
    NotedState,
    'balances' | 'writtenOffWei'
  > & {
    writtenOffWei: PerToken<string> | null
    balances: Record<'ETH' | 'USDG', Record<string, string>>
  }
  return {
    ...known,
    writtenOffWei: writtenOffWei && readAmounts(writtenOffWei),
    balances: amountsOf(balances),
  }
}

function amountsOf(
  texts: Record<'ETH' | 'USDG', Record<string, string>>,
): LastKnownState['balances'] {
  const read = (accounts: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(accounts).map(([account, wei]) => [account, BigInt(wei)]),
    ) as LastKnownState['balances']['ETH']
  return { ETH: read(texts.ETH), USDG: read(texts.USDG) }
}

/** Returns the state that a ledger reports of itself. */
export function knownBy({ seq, hash, balances, at, writtenOffWei }: OwnStanding): Known {
  return { seq, hash, balances, at, writtenOffWei, entry: { seq, hash } }
}

/** Returns the state that D1 knows. The ledger may have had later entries that never reached D1. */
export function knownByD1({
  version,
  headHash,
  balances,
  at,
}: Pick<Position, 'version' | 'headHash' | 'balances' | 'at'>): Known {
  const entry = { seq: version, hash: headHash }
  return { seq: version, hash: null, balances, at, writtenOffWei: null, entry }
}

/** Adds the safeguards that the player has set since the restoration began. A repeated return adds them only once. */
export function withSafeguards(known: NotedState, latest: Safeguards | null): NotedState {
  const { safeguards } = known
  const isNoted = safeguards.some((each) => textOf(each) === textOf(latest))
  return latest && !isNoted ? { ...known, safeguards: [...safeguards, latest] } : known
}
