import type { Config } from '../config.ts'
import { perToken } from '../money/token.ts'
import type { Terms } from './state.ts'

/** What of the configuration the public state tells. */
export function termsOf({ depositFeeBps, vault }: Config): Terms {
  const chain = vault && {
    chainId: vault.chainId,
    vault: vault.address,
    usdg: vault.usdg,
    confirmations: vault.confirmations,
    withdrawalMin: perToken((token) => vault.withdrawalMin[token].toString()),
  }
  return { depositFeeBps, chain }
}
