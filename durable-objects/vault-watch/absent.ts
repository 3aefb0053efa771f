import { readBlock } from '../../src/chain/logs.ts'
import type { VaultConfig } from '../../src/config/config.ts'
import type { VaultLog } from '../../src/vault/log.ts'

/** Kept logs of a range that a node doesn't have. */
export interface Absent {
  /** Those that the chain no longer has. */
  vanished: VaultLog[]
  /** Those that the node merely left out: their blocks still exist, or aren't known to be replaced. */
  omitted: VaultLog[]
}

/**
 * Returns the kept logs of a range that are not among those found.
 * @param found the logs of the range that a node has
 * @throws if the node doesn't answer
 */
export async function absentIn(
  vault: VaultConfig,
  kept: Iterable<VaultLog>,
  found: readonly VaultLog[],
): Promise<Absent> {
  const places = new Set(found.map(placeOf))
  const absent: VaultLog[] = []
  for (const log of kept) if (!places.has(placeOf(log))) absent.push(log)
  const hashes = new Map<number, string | null>()
  for (const { block } of absent) {
    if (!hashes.has(block)) hashes.set(block, (await readBlock(vault, block))?.hash ?? null)
  }
  const isVanished = ({ block, blockHash }: VaultLog) => {
    const hash = hashes.get(block) ?? null
    return hash !== null && hash !== blockHash
  }
  return {
    vanished: absent.filter(isVanished),
    omitted: absent.filter((log) => !isVanished(log)),
  }
}

/** Returns what identifies a log, as text. */
export function placeOf({ txHash, position }: VaultLog): string {
  return `${txHash} ${position}`
}
