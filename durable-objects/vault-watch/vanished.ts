import { readBlock } from '../../src/chain/logs.ts'
import type { VaultConfig } from '../../src/config/config.ts'
import type { VaultLog } from '../../src/vault/log.ts'

/**
 * Returns the kept logs of a range that the chain no longer has. A log that a node merely left out is not included,
 * because its block still exists.
 * @param found the logs of the range that a node has
 * @throws if the node doesn't answer
 */
export async function vanishedIn(
  vault: VaultConfig,
  kept: Iterable<VaultLog>,
  found: readonly VaultLog[],
): Promise<VaultLog[]> {
  const places = new Set(found.map(placeOf))
  const absent: VaultLog[] = []
  for (const log of kept) if (!places.has(placeOf(log))) absent.push(log)
  const hashes = new Map<number, string | null>()
  for (const { block } of absent) {
    if (!hashes.has(block)) hashes.set(block, (await readBlock(vault, block))?.hash ?? null)
  }
  return absent.filter(({ block, blockHash }) => {
    const hash = hashes.get(block) ?? null
    return hash !== null && hash !== blockHash
  })
}

function placeOf({ txHash, position }: VaultLog): string {
  return `${txHash} ${position}`
}
