import type { Config } from '../config.ts'
import { perToken } from '../money/token.ts'
import { smallestWithdrawal } from '../relayer/gas.ts'
import type { Terms } from './state.ts'

/**
 * Returns what the public state tells of the configuration, and of the chain as it was last seen.
 * @param seen null where it was not
 */
export function termsOf(
  { depositFeeBps, vault }: Config,
  seen: { gasPriceWei: bigint; isPaused: boolean } | null,
): Terms {
  if (!vault) return { depositFeeBps, chain: null, withdrawal: null }
  const smallest = smallestWithdrawal(vault.withdrawalMin, seen?.gasPriceWei ?? null)
  const min = perToken((token) => smallest[token].toString())
  const chain = {
    chainId: vault.chainId,
    vault: vault.address,
    usdg: vault.usdg,
    confirmations: vault.confirmations,
    withdrawalMin: min,
    isPaused: seen?.isPaused ?? false,
  }
  return { depositFeeBps, chain, withdrawal: { min } }
}
