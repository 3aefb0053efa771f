import { PATIENCE_MS } from '../../chain/client.ts'
import type { VaultConfig } from '../../config/config.ts'
import { logFault } from '../../log.ts'
import { retried, vaultWatch } from '../../objects.ts'

/**
 * How long this isolate relies on a reading of the vault. Together with the watch's own second this is
 * below two seconds, after which every state must include a confirmed deposit.
 */
const CURRENT_FOR_MS = 900

let current: { vaultId: string; askedAt: number } | null = null

/**
 * Has the vault's new deposits credited to their ledgers. Waits for a limited time and never throws, so
 * that players can play on while a node is down.
 * @returns whether every deposit confirmed two seconds ago has been credited
 */
export async function catchUp(env: Env, { id: vaultId }: VaultConfig): Promise<boolean> {
  const askedAt = Date.now()
  const age = current?.vaultId === vaultId ? askedAt - current.askedAt : Infinity
  if (age >= 0 && age < CURRENT_FOR_MS) return true
  const asked = retried(async () => vaultWatch(env, vaultId).catchUp()).then(
    (isCurrent) => {
      if (isCurrent) current = { vaultId, askedAt }
      return isCurrent
    },
    (fault: unknown) => {
      logFault('vault_watch_failed', fault)
      return false
    },
  )
  return atMost(PATIENCE_MS, asked)
}

async function atMost(limitMs: number, work: Promise<boolean>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs)
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}
