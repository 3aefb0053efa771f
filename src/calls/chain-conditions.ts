import { loadConfig } from '../config/load.ts'
import { isWithin } from '../core/age.ts'
import { logFault } from '../log.ts'
import type { NextRelayer } from '../vault/table-config.ts'
import { answerWithin, retried } from './call.ts'
import { relayer } from './objects.ts'

/** How long an isolate caches the conditions, which the relayer's object reads once a minute. */
const KEPT_MS = 15_000
/** How long a read may take. The table's state needs the conditions, and a player in flight that state. */
const READ_MS = 1_000
/** The maximum age of a reading. */
const OLDEST_MS = 600_000

/** The chain's conditions for withdrawals, as the relayer last read them. */
export interface Conditions {
  gasPriceWei: bigint
  isPaused: boolean
  nextRelayer: NextRelayer | null
  /** The time of the reading, in unix milliseconds. */
  at: number
}

let kept: { seen: Conditions | null; vaultId: string; askedAt: number } | null = null

/**
 * Returns the gas price, whether the vault is paused and which relayer is announced, as read at most ten minutes ago
 * and usually within the last minute; null without a vault or a recent reading. Never asks a node.
 */
export async function currentConditions(env: Env): Promise<Conditions | null> {
  const { vault } = loadConfig(env)
  if (!vault) return null
  const now = Date.now()
  const isFresh = kept?.vaultId === vault.id && isWithin(KEPT_MS, kept.askedAt, now)
  if (!isFresh) {
    // Concurrent requests use the previous conditions meanwhile.
    if (kept?.vaultId === vault.id) kept.askedAt = now
    try {
      const reading = retried(async () => relayer(env, vault.chainId).conditions(vault.id))
      const seen = await answerWithin(READ_MS, reading)
      kept = {
        seen: seen && { ...seen, gasPriceWei: BigInt(seen.gasPriceWei) },
        vaultId: vault.id,
        askedAt: now,
      }
    } catch (fault) {
      logFault('chain_conditions_read_failed', fault)
    }
  }
  const seen = kept?.vaultId === vault.id ? kept.seen : null
  return seen && Math.abs(now - seen.at) < OLDEST_MS ? seen : null
}
