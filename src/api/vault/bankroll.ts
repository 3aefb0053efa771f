import { loadConfig } from '../../config/load.ts'
import { logFault } from '../../log.ts'
import type { Bankroll } from '../../money/bankroll.ts'
import { perToken, type PerToken } from '../../money/token.ts'
import { treasury } from '../../objects.ts'

/** The cron handler counts once a minute; an isolate looks this often. */
const KEPT_MS = 15_000

let kept: { amounts: PerToken<bigint>; vaultId: string; at: number } | null = null

/**
 * Returns the house's bankroll as last counted, at most a quarter of a minute old; null without a vault.
 * Before the first count there is nothing, nor while D1 has not been believed for ten minutes.
 */
export async function currentBankroll(env: Env): Promise<Bankroll | null> {
  const { vault, bankroll: shares } = loadConfig(env)
  if (!vault) return null
  const now = Date.now()
  const isFresh = kept?.vaultId === vault.id && now >= kept.at && now - kept.at < KEPT_MS
  if (!isFresh) {
    try {
      keepBankroll(vault.id, await treasury(env, vault.id).bankroll())
    } catch (fault) {
      logFault('the bankroll could not be read', fault)
    }
  }
  const known = kept?.vaultId === vault.id ? kept.amounts : perToken(() => 0n)
  return { ...shares, amounts: known }
}

/** Has this isolate answer with a count that was just made. */
export function keepBankroll(vaultId: string, amounts: PerToken<bigint>): void {
  kept = { amounts, vaultId, at: Date.now() }
}
