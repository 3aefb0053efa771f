import type { VaultEvent } from '../../src/vault/events.ts'

/** How the events of a range that a node has differ from the kept ones. */
export interface Difference {
  /** Those that are not kept, or are kept in another block. */
  fresh: VaultEvent[]
  /** Kept ones that the node doesn't have. */
  absent: VaultEvent[]
}

/** Kept events of a range that a node doesn't have. */
export interface AbsentEvents {
  /** Those that the chain no longer has. */
  vanished: VaultEvent[]
  /** Those that the node merely left out: their blocks still exist, or aren't known to be replaced. */
  omitted: VaultEvent[]
}

export function differenceOf(kept: Iterable<VaultEvent>, found: readonly VaultEvent[]): Difference {
  const places = new Set(found.map(placeOf))
  const known = new Set<string>()
  const absent: VaultEvent[] = []
  for (const event of kept) {
    if (places.has(placeOf(event))) known.add(placeInBlock(event))
    else absent.push(event)
  }
  return { fresh: found.filter((event) => !known.has(placeInBlock(event))), absent }
}

/**
 * Tells absent events that have vanished from those that were left out.
 * @param blocks their blocks, as the chain has them; null for one that it lacks
 */
export function sortAbsent(
  absent: readonly VaultEvent[],
  blocks: ReadonlyMap<number, { hash: string } | null>,
): AbsentEvents {
  const isVanished = ({ block, blockHash }: VaultEvent) => {
    const hash = blocks.get(block)?.hash ?? blockHash
    return hash !== blockHash
  }
  return {
    vanished: absent.filter(isVanished),
    omitted: absent.filter((event) => !isVanished(event)),
  }
}

/** Returns a text that identifies an event. */
export function placeOf({ txHash, position }: VaultEvent): string {
  return `${txHash} ${position}`
}

function placeInBlock(event: VaultEvent): string {
  return `${placeOf(event)} ${event.blockHash}`
}
