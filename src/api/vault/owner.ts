import { vaultOwner } from '../../chain/vault.ts'
import type { VaultConfig } from '../../config/config.ts'
import { BriefCache } from '../http/brief-cache.ts'

/** Strangers may call the owner's routes too, and must not load the node. A new owner waits this long. */
const owners = new BriefCache<string>(5_000)

/** Returns the vault's owner of a few seconds ago. @throws if the node doesn't answer */
export function currentOwner(vault: VaultConfig): Promise<string> {
  return owners.get(vault.id, () => vaultOwner(vault))
}
