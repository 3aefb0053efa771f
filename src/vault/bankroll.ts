import { vaultBalances } from '../chain/vault.ts'
import type { VaultConfig } from '../config.ts'
import { saveBankroll, totals } from '../history/bankroll.ts'
import { perToken, type PerToken } from '../money/token.ts'

/**
 * Counts the house's bankroll: what the ledgers say is the house's, or what the vault really holds
 * beyond what players are owed, whichever is less; never below zero. Smallest units.
 * @throws where the node or D1 does not answer
 */
export async function refreshBankroll(env: Env, vault: VaultConfig): Promise<PerToken<bigint>> {
  const [held, summed] = await Promise.all([vaultBalances(vault), totals(env.DB)])
  const bankroll = perToken((token) => {
    const { owed, house } = summed[token]
    return max(0n, min(house, held[token] - owed))
  })
  await saveBankroll(env.DB, bankroll, Date.now())
  return bankroll
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
