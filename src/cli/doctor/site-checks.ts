import { isAddressEqual, type Address } from 'viem'
import type { ChainCheck } from '../../chain/check.ts'
import type { Config } from '../../config/config.ts'
import type { TableConfig } from '../../vault/table-config.ts'
import { check } from './check.ts'

/** How long the running site may take to answer. */
const ANSWER_WITHIN_MS = 3_000

/**
 * Checks that a deployment keeps the vault of the site that runs at its origin, which holds the players' deposits.
 * Checks nothing if no site answers there, or one without a vault.
 */
export async function siteChecks({ environment, origin, vault }: Config): Promise<ChainCheck[]> {
  if (environment === 'local') return []
  const running = await runningVault(origin)
  if (!running) return []
  const isSame =
    vault !== null &&
    vault.chainId === running.chainId &&
    isAddressEqual(vault.address, running.vault as Address)
  return [
    check(
      'the vault is that of the running site',
      isSame,
      `${origin} runs with the vault ${running.vault} on chain ${running.chainId}, and VAULT_ADDRESS is another one. The players' deposits would stay in the running site's vault, and nobody could withdraw them. Set VAULT_ADDRESS and CHAIN_ID to it: a site can't move to another vault.`,
    ),
  ]
}

/** Returns the vault of the site at an origin, by its own answer; null if it has none or doesn't answer. */
async function runningVault(origin: string): Promise<TableConfig['chain']> {
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS)
    const response = await fetch(new URL('/api/crash?action=watch', origin), { signal })
    const { config } = await response.json<{ config?: Pick<TableConfig, 'chain'> }>()
    return config?.chain ?? null
  } catch {
    return null
  }
}
