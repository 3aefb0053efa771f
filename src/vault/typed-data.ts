import type { PerToken } from '../money/token.ts'

export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000'

/** Returns the address of each token on chain. ETH is the zero address. */
export function tokenAddresses<A extends string>({
  usdg,
}: {
  usdg: A
}): PerToken<A | typeof ZERO_ADDRESS> {
  return { ETH: ZERO_ADDRESS, USDG: usdg }
}

/** Returns the EIP-712 domain of everything that is signed for a vault. */
export function vaultDomain<A extends string>(vault: { chainId: number; address: A }) {
  const { chainId, address: verifyingContract } = vault
  return { name: 'FairhouseVault', version: '1', chainId, verifyingContract } as const
}

/** EIP-712 types of a withdrawal as its player signs it and the vault checks it. */
export const WITHDRAW_TYPES = {
  Withdraw: [
    { name: 'player', type: 'address' },
    { name: 'token', type: 'address' },
    { name: 'amount', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
  ],
} as const
