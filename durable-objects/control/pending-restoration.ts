import type { Position } from '../../src/history/positions.ts'
import type { EntryId, LastKnownState } from '../../src/ledger/restoration.ts'
import { readAmounts, type PerToken } from '../../src/money/token.ts'
import type { Safeguards } from '../../src/protection/safeguards.ts'
import { textOf } from '../kernel/stored.ts'
import type { OwnStanding } from '../ledger/recovery.ts'

/** What is known of a ledger before it lost entries. */
interface Known extends LastKnownState {
  at: number
  /** The entry after which it had these balances, by which it is recognized; absent from what the ledger says. */
  entry?: EntryId
}

/** What is known of a ledger, and all that is known of what the player has set. */
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

/** What {@link lastKnown} chooses from, besides the ledger itself. */
interface KnownElsewhere {
  /** Whether the ledger has D1's entry, if D1 has one. */
  hasListed: boolean
  /** What was known before it went back in restorations that were not completed, and it lacks. */
  gone: Known[]
  /** D1's position. */
  listed: Known | null
  /** Whether it goes back to an earlier time now, and so loses what it has. */
  goesBack: boolean
}

/**
 * Returns the state to which a ledger is restored; null if no state is known. A ledger that lacks what others know has
 * gone back, so its own balances don't count, however far it has grown since. Nor do D1's if it has D1's entry: they
 * come from before or after that, and tell nothing that it doesn't know.
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
  // Of two with the same number, the first counts: it may have a hash.
  const latest = others.reduce((most, one) => (numberOf(one) > numberOf(most) ? one : most), first)
  // What has followed since may be lost, too, and its numbers must not be used again.
  const { seq, hash } = [...candidates, ...(own && goesBack ? [own] : [])].reduce(
    (most, one) => (one.seq > most.seq ? one : most),
    latest,
  )
  const entry = entryOf(latest)
  return { ...latest, ...(entry && { entry }), seq, hash: latest.hash === null ? null : hash }
}

/** Returns the entry that shows that a ledger has what is known; null if nobody knows its hash. */
export function entryOf({ entry, seq, hash }: Known): EntryId | null {
  return entry ?? (hash === null ? null : { seq, hash })
}

function numberOf(known: Known): number {
  return entryOf(known)?.seq ?? known.seq
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

/** Returns what a ledger itself knows. */
export function knownBy({ seq, hash, balances, at, writtenOffWei }: OwnStanding): Known {
  return { seq, hash, balances, at, writtenOffWei }
}

/** Returns what D1 knows: there may be later entries, of which it has not heard. */
export function knownByD1({
  version,
  headHash,
  balances,
  at,
}: Pick<Position, 'version' | 'headHash' | 'balances' | 'at'>): Known {
  const entry = { seq: version, hash: headHash }
  return { seq: version, hash: null, balances, at, writtenOffWei: null, entry }
}

/** Adds what the player has set since the restoration began. A repeated return adds the same only once. */
export function withSafeguards(known: NotedState, latest: Safeguards | null): NotedState {
  const { safeguards } = known
  const isNoted = safeguards.some((each) => textOf(each) === textOf(latest))
  return latest && !isNoted ? { ...known, safeguards: [...safeguards, latest] } : known
}
