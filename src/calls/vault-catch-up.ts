import { NODE_WAIT_MS } from '../chain/client.ts'
import type { VaultConfig } from '../config/config.ts'
import { isWithin } from '../core/age.ts'
import { logFault } from '../log.ts'
import { answerWithin, retried } from './call.ts'
import { vaultWatch } from './objects.ts'

/**
 * How long this isolate relies on a reading of the vault. Together with the watch's own second this is
 * below two seconds, after which every state must include a confirmed deposit.
 */
const CURRENT_FOR_MS = 900

/**
 * The latest reading, and the wallets with a deposit that had not reached their ledgers then; null if unknown, so that
 * each wallet is checked individually.
 */
let current: { vaultId: string; askedAt: number; undelivered: Set<string> | null } | null = null

/**
 * Has the vault's new deposits credited to their ledgers. Waits for a limited time and never throws, so
 * that players can play on while a node is down.
 * @returns whether every deposit of the wallet confirmed two seconds ago has been credited
 */
export async function catchUp(
  env: Env,
  { id: vaultId }: VaultConfig,
  wallet: string,
): Promise<boolean> {
  const askedAt = Date.now()
  const isUsable =
    current?.vaultId === vaultId && isWithin(CURRENT_FOR_MS, current.askedAt, askedAt)
  if (isUsable && current?.undelivered?.has(wallet) === false) return true
  const asked = isUsable ? askFor(env, vaultId, wallet) : ask(env, vaultId, { askedAt, wallet })
  const answered = asked.catch((fault: unknown) => {
    logFault('vault_watch_failed', fault)
    return false
  })
  return answerWithin(NODE_WAIT_MS, answered).catch(() => false)
}

/** Catches up all wallets at once. The answer serves every caller, except for wallets with a stuck deposit. */
async function ask(
  env: Env,
  vaultId: string,
  { askedAt, wallet }: { askedAt: number; wallet: string },
): Promise<boolean> {
  const isCurrent = await retried(async () => vaultWatch(env, vaultId).catchUp())
  const stuck: string[] | null = isCurrent
    ? []
    : await retried(async () => vaultWatch(env, vaultId).undelivered())
  current = { vaultId, askedAt, undelivered: stuck && new Set(stuck) }
  return stuck?.includes(wallet) === false || askFor(env, vaultId, wallet)
}

/** Asks about one wallet alone. */
async function askFor(env: Env, vaultId: string, wallet: string): Promise<boolean> {
  return retried(async () => vaultWatch(env, vaultId).catchUp(wallet))
}
