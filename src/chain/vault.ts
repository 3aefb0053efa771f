import {
  encodeFunctionData,
  hashTypedData,
  zeroAddress,
  type Address,
  type Hash,
  type Hex,
} from 'viem'
import type { VaultConfig } from '../config/config.ts'
import type { OrderStep, PayoutOrder, ResultOrder } from '../relayer/payout.ts'
import { TOKENS, type PerToken, type Token } from '../money/token.ts'
import { usdgAbi, vaultAbi } from './abi.ts'
import { chainClient } from './client.ts'

/** A withdrawal as its player signs it. */
export interface WithdrawalOrder {
  player: Address
  token: Token
  amountWei: bigint
  nonce: number
}

/** The vault's contract, which is all that a client needs to know of it. */
export type VaultContract = Pick<VaultConfig, 'chainId' | 'address' | 'usdg'>

/** What each token is on chain; ETH is the zero address. */
export function tokenAddresses({ usdg }: VaultContract): PerToken<Address> {
  return { ETH: zeroAddress, USDG: usdg }
}

/** The token at an address, or null where the vault does not hold it. */
export function tokenAt(vault: VaultConfig, address: Address): Token | null {
  const addresses = tokenAddresses(vault)
  return TOKENS.find((token) => addresses[token].toLowerCase() === address.toLowerCase()) ?? null
}

/** The EIP-712 domain of everything that is signed for a vault. */
export function vaultDomain({ chainId, address: verifyingContract }: VaultContract) {
  return { name: 'FairhouseVault', version: '1', chainId, verifyingContract } as const
}

/** What the player signs (EIP-712), as the vault checks it. */
export function withdrawalHash(vault: VaultContract, order: WithdrawalOrder): Hash {
  return hashTypedData({
    domain: vaultDomain(vault),
    types: {
      Withdraw: [
        { name: 'player', type: 'address' },
        { name: 'token', type: 'address' },
        { name: 'amount', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
      ],
    },
    primaryType: 'Withdraw',
    message: {
      player: order.player,
      token: tokenAddresses(vault)[order.token],
      amount: order.amountWei,
      nonce: BigInt(order.nonce),
    },
  })
}

/** The call that pays a withdrawal. */
export function withdrawCall(vault: VaultConfig, order: WithdrawalOrder, signature: Hex): Hex {
  const token = tokenAddresses(vault)[order.token]
  const { player, amountWei, nonce } = order
  return encodeFunctionData({
    abi: vaultAbi,
    functionName: 'withdraw',
    args: [player, token, amountWei, BigInt(nonce), signature],
  })
}

/** The call after which a player's signature over a nonce is worth nothing any more. */
export function burnCall(player: Address, nonce: number): Hex {
  return encodeFunctionData({
    abi: vaultAbi,
    functionName: 'burnNonce',
    args: [player, BigInt(nonce)],
  })
}

/** The call that records what the house has won from players so far, in smallest units. */
export function recordCall(vault: VaultConfig, token: Token, resultWei: bigint): Hex {
  return encodeFunctionData({
    abi: vaultAbi,
    functionName: 'recordHouseResult',
    args: [tokenAddresses(vault)[token], resultWei],
  })
}

/** How many of a player's nonces are used up on chain. @param block at whose end; without it, now */
export async function usedNonces(
  vault: VaultConfig,
  player: Address,
  block?: number,
): Promise<number> {
  const nonces = await chainClient(vault).readContract({
    address: vault.address,
    abi: vaultAbi,
    functionName: 'nonces',
    args: [player],
    ...(block !== undefined && { blockNumber: BigInt(block) }),
  })
  return Number(nonces)
}

export async function vaultOwner(vault: VaultConfig): Promise<Address> {
  return chainClient(vault).readContract({
    address: vault.address,
    abi: vaultAbi,
    functionName: 'owner',
  })
}

/** The account that the vault takes players' payments from. */
export async function vaultRelayer(vault: VaultConfig): Promise<Address> {
  return chainClient(vault).readContract({
    address: vault.address,
    abi: vaultAbi,
    functionName: 'relayer',
  })
}

/** Returns whether the vault's owner has paused it. */
export async function isVaultPaused(vault: VaultConfig): Promise<boolean> {
  return chainClient(vault).readContract({
    address: vault.address,
    abi: vaultAbi,
    functionName: 'paused',
  })
}

/** What the vault really holds, in smallest units. */
export async function vaultBalances(vault: VaultConfig): Promise<PerToken<bigint>> {
  const client = chainClient(vault)
  const [ETH, USDG] = await Promise.all([
    client.getBalance({ address: vault.address }),
    client.readContract({
      address: vault.usdg,
      abi: usdgAbi,
      functionName: 'balanceOf',
      args: [vault.address],
    }),
  ])
  return { ETH, USDG }
}

/** The vault's call for a step of an order. */
export function vaultCall(
  vault: VaultConfig,
  step: OrderStep,
  order: PayoutOrder | ResultOrder,
): Hex {
  if (order.kind === 'result') return recordCall(vault, order.token, BigInt(order.resultWei))
  const player = order.player as Address
  if (step === 'burn') return burnCall(player, order.nonce)
  const withdrawal = {
    player,
    token: order.token,
    amountWei: BigInt(order.amountWei),
    nonce: order.nonce,
  }
  return withdrawCall(vault, withdrawal, order.signature as Hex)
}
