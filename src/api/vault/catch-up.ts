import type { VaultConfig } from '../../config/config.ts'
import { logFault } from '../../log.ts'
import { retried, vaultWatch } from '../../objects.ts'

/**
 * How long this isolate relies on a look at the vault. With the watch's own second it stays below the
 * two seconds after which a confirmed deposit has to be in every state read.
 */
const CURRENT_FOR_MS = 900

/** How long a caller waits for a slow node. */
const PATIENCE_MS = 1_500

let current: { vaultId: string; askedAt: number } | null = null

/**
 * Has the vault's new deposits brought into their ledgers. Waits a bounded time and never throws: a
 * node that is down stops nobody from playing.
 * @returns whether everything confirmed two seconds ago has reached its ledger
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
      logFault('the vault watch did not answer', fault)
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
