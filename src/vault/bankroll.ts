import { vaultBalances } from '../chain/vault.ts'
import { loadConfig, type VaultConfig } from '../config.ts'
import { findBankroll, saveBankroll, totals, type Totals } from '../history/bankroll.ts'
import { logFault } from '../log.ts'
import type { Bankroll } from '../money/bankroll.ts'
import { perToken, TOKENS, type PerToken, type Token } from '../money/token.ts'
import { relayer } from '../objects.ts'

/** The cron handler counts once a minute; an isolate looks this often. */
const KEPT_MS = 15_000

let kept: { amounts: PerToken<bigint>; vaultId: string; at: number } | null = null

/**
 * The house's bankroll as last counted, at most a quarter of a minute old; null without a vault.
 * While D1 is down the last known one counts, and before the first count there is nothing.
 */
export async function currentBankroll(env: Env): Promise<Bankroll | null> {
  const { vault, bankroll: shares } = loadConfig(env)
  if (!vault) return null
  const now = Date.now()
  const isFresh = kept?.vaultId === vault.id && now >= kept.at && now - kept.at < KEPT_MS
  if (!isFresh) {
    try {
      kept = { amounts: await findBankroll(env.DB, vault.id), vaultId: vault.id, at: now }
    } catch (fault) {
      logFault('the bankroll could not be read', fault)
    }
  }
  const known = kept?.vaultId === vault.id ? kept.amounts : perToken(() => 0n)
  return { ...shares, amounts: known }
}

/**
 * Counts the house's bankroll: what the ledgers say is the house's, or what the vault really holds
 * beyond what players and partners are owed, whichever is less; never below zero. Smallest units.
 * @throws where the node or D1 does not answer
 */
export async function refreshBankroll(env: Env, vault: VaultConfig): Promise<PerToken<bigint>> {
  const [held, summed] = await Promise.all([vaultBalances(vault), totals(env.DB)])
  const amounts = perToken((token) => {
    const { owed, house } = summed[token]
    return max(0n, min(house, held[token] - owed - owedToPartners(env, summed, token)))
  })
  const now = Date.now()
  await saveBankroll(env.DB, vault.id, amounts, now)
  kept = { amounts, vaultId: vault.id, at: now }
  return amounts
}

/**
 * Has the relayer record, where that is worth a transaction, what the house has won from players, so that the vault's owner may take out
 * what is not theirs: all that they brought in, less what they are owed, and what partners have debited
 * and may still credit again.
 */
export async function recordResults(env: Env, vault: VaultConfig): Promise<void> {
  const at = Date.now()
  const summed = await totals(env.DB)
  for (const token of TOKENS) {
    const { brought, owed } = summed[token]
    const resultWei = (brought - owed - owedToPartners(env, summed, token)).toString()
    await relayer(env, vault.chainId).record({ vaultId: vault.id, token, resultWei, at })
  }
}

/** What partners have debited beyond their credits and were not paid outside; never below zero. */
function owedToPartners(env: Env, summed: PerToken<Totals>, token: Token): bigint {
  const { partners } = loadConfig(env)
  const settled = [...partners.values()].reduce((sum, partner) => sum + partner.settled[token], 0n)
  return max(0n, summed[token].partner - settled)
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
