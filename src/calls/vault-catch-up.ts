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

let current: { vaultId: string; askedAt: number } | null = null

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
  if (current?.vaultId === vaultId && isWithin(CURRENT_FOR_MS, current.askedAt, askedAt))
    return true
  const asked = ask(env, vaultId, { askedAt, wallet }).catch((fault: unknown) => {
    logFault('vault_watch_failed', fault)
    return false
  })
  return answerWithin(NODE_WAIT_MS, asked).catch(() => false)
}

/** Asks about all wallets, which answers for all callers. If that of another wallet is stuck, asks about this one. */
async function ask(
  env: Env,
  vaultId: string,
  { askedAt, wallet }: { askedAt: number; wallet: string },
): Promise<boolean> {
  const isCurrent = await retried(async () => vaultWatch(env, vaultId).catchUp())
  if (!isCurrent) return retried(async () => vaultWatch(env, vaultId).catchUp(wallet))
  current = { vaultId, askedAt }
  return true
}
