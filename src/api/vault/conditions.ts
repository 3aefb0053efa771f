import { loadConfig } from '../../config/load.ts'
import { logFault } from '../../log.ts'
import { relayer } from '../../objects.ts'

/** An isolate asks the relayer's object this often; the object itself looks at the chain once a minute. */
const KEPT_MS = 15_000
/** What was seen longer ago says nothing about the present. */
const OLDEST_MS = 600_000

/** What withdrawals depend on, as the relayer last saw the chain. */
export interface Conditions {
  gasPriceWei: bigint
  isPaused: boolean
  /** When it was seen, in unix milliseconds. */
  at: number
}

let kept: { seen: Conditions | null; vaultId: string; askedAt: number } | null = null

/**
 * Returns the price of gas and whether the vault is paused, as seen at most ten minutes ago and usually within
 * the last one; null where there is no vault or nothing was seen. It never asks a node.
 */
export async function currentConditions(env: Env): Promise<Conditions | null> {
  const { vault } = loadConfig(env)
  if (!vault) return null
  const now = Date.now()
  const isFresh = kept?.vaultId === vault.id && now >= kept.askedAt && now - kept.askedAt < KEPT_MS
  if (!isFresh) {
    // Others are shown the previous ones meanwhile.
    if (kept?.vaultId === vault.id) kept.askedAt = now
    try {
      const seen = await relayer(env, vault.chainId).conditions(vault.id)
      kept = {
        seen: seen && { ...seen, gasPriceWei: BigInt(seen.gasPriceWei) },
        ...{ vaultId: vault.id, askedAt: now },
      }
    } catch (fault) {
      logFault('the conditions on the chain could not be read', fault)
    }
  }
  const seen = kept?.vaultId === vault.id ? kept.seen : null
  return seen && Math.abs(now - seen.at) < OLDEST_MS ? seen : null
}
