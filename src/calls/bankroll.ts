import { loadConfig } from '../config/load.ts'
import { isWithin } from '../core/age.ts'
import { logFault } from '../log.ts'
import type { Bankroll } from '../money/bankroll.ts'
import { perToken, type PerToken } from '../money/token.ts'
import { MAX_DOUBT_MS } from '../vault/trust.ts'
import { answerWithin, retried } from './call.ts'
import { treasury } from './objects.ts'

/** How long an isolate caches the bankroll, which the cron trigger counts once a minute. */
const KEPT_MS = 15_000

/** A round opens only after the count. Without an earlier count, its limits would be zero, so it waits longer. */
const ANSWER_MS = { known: 2_000, unknown: 3_500 }

/** Once a request has begun to read, others go by the earlier count for this long, so that they don't wait. */
const PAUSE_MS = 5_000

let kept: { amounts: PerToken<bigint>; vaultId: string; at: number } | null = null
let askedAt = -Infinity

/**
 * Returns the house's bankroll as last counted, from a cache of at most 20 seconds; null without a vault. The bankroll
 * is zero before the first count, and after ten minutes of doubt about D1 or without an answer of the treasury.
 */
export async function currentBankroll(env: Env): Promise<Bankroll | null> {
  const { vault, bankroll: shares } = loadConfig(env)
  if (!vault) return null
  const isYounger = (ms: number) => kept?.vaultId === vault.id && isWithin(ms, kept.at, Date.now())
  const isKnown = isYounger(MAX_DOUBT_MS)
  if (!isYounger(KEPT_MS) && !(isKnown && isWithin(PAUSE_MS, askedAt, Date.now()))) {
    askedAt = Date.now()
    try {
      const counting = retried(async () => treasury(env, vault.id).bankroll())
      const mostMs = isKnown ? ANSWER_MS.known : ANSWER_MS.unknown
      keepBankroll(vault.id, await answerWithin(mostMs, counting))
    } catch (fault) {
      logFault('bankroll_read_failed', fault)
    }
  }
  const amounts = kept && isYounger(MAX_DOUBT_MS) ? kept.amounts : perToken(() => 0n)
  return { ...shares, amounts }
}

/** Caches a new count in this isolate. */
export function keepBankroll(vaultId: string, amounts: PerToken<bigint>): void {
  kept = { amounts, vaultId, at: Date.now() }
}
