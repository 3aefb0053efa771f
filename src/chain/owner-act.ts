import { hashTypedData, type Hash } from 'viem'
import type { Act } from '../operator/act.ts'
import { vaultDomain } from '../vault/typed-data.ts'
import type { VaultContract } from './vault.ts'

/** Builds the EIP-712 data that the vault's owner signs to order an act. */
export function ownerActTypedData(vault: VaultContract, { act, target, reason, ...order }: Act) {
  return {
    domain: vaultDomain(vault),
    types: {
      OwnerAct: [
        { name: 'act', type: 'string' },
        { name: 'target', type: 'string' },
        { name: 'reason', type: 'string' },
        { name: 'nonce', type: 'uint256' },
        { name: 'expiresAt', type: 'uint256' },
      ],
    },
    primaryType: 'OwnerAct',
    message: {
      act,
      target,
      reason,
      nonce: BigInt(order.nonce),
      expiresAt: BigInt(order.expiresAt),
    },
  } as const
}

export function ownerActHash(vault: VaultContract, act: Act): Hash {
  return hashTypedData(ownerActTypedData(vault, act))
}
