import { hashTypedData, zeroAddress, type Address, type Hash } from 'viem'
import type { Config } from '../config/config.ts'
import { PERMISSION_TYPES, type Grant } from '../ledger/permission.ts'
import type { PerToken } from '../money/token.ts'
import { tokenAddresses, vaultDomain } from '../vault/typed-data.ts'

/** Represents USDG without a vault; the zero address already represents ETH. */
const USDG_WITHOUT_VAULT: Address = '0x0000000000000000000000000000000000000001'

/** The scope of a signed permission: its EIP-712 domain, and each token's address in it. */
export interface PermissionScope {
  domain: ReturnType<typeof vaultDomain<Address>>
  tokens: PerToken<Address>
}

/** Returns the vault's domain and tokens; without a vault the contract is the zero address. */
export function permissionScope({
  vault,
  chainId,
}: Pick<Config, 'vault' | 'chainId'>): PermissionScope {
  const contract = vault ?? { chainId, address: zeroAddress, usdg: USDG_WITHOUT_VAULT }
  return { domain: vaultDomain(contract), tokens: tokenAddresses(contract) }
}

/** Returns the EIP-712 hash that the player signs to permit a partner's debits. */
export function permissionHash(
  { domain, tokens }: PermissionScope,
  player: Address,
  grant: Omit<Grant, 'signature' | 'isSigned'>,
): Hash {
  const { partner, token, maxPerDayWei, expiresAt, nonce } = grant
  return hashTypedData({
    domain,
    types: PERMISSION_TYPES,
    primaryType: 'PartnerPermission',
    message: {
      player,
      partner,
      token: tokens[token],
      maxPerDayWei,
      expiresAt: BigInt(expiresAt),
      nonce: BigInt(nonce),
    },
  })
}
