import { encodeFunctionData, hashTypedData, type Address, type Hash, type Hex } from 'viem'
import type { VaultConfig } from '../config/config.ts'
import { TOKENS, type PerToken, type Token } from '../money/token.ts'
import type { OrderStep, PayoutOrder, ResultOrder } from '../relayer/payout.ts'
import { tokenAddresses, vaultDomain, WITHDRAW_TYPES } from '../vault/typed-data.ts'
import { usdgAbi, vaultAbi } from './abi.ts'
import { chainClient } from './client.ts'

/** A withdrawal as signed by its player. */
export interface WithdrawalOrder {
  player: Address
  token: Token
  amountWei: bigint
  nonce: number
}

/** The parts of the vault's configuration that a client needs. */
export type VaultContract = Pick<VaultConfig, 'chainId' | 'address' | 'usdg'>

/** Returns the token at an address, or null if it isn't one of the vault's. */
export function tokenAt(vault: VaultConfig, address: Address): Token | null {
  const addresses = tokenAddresses(vault)
  return TOKENS.find((token) => addresses[token].toLowerCase() === address.toLowerCase()) ?? null
}

/** Returns the EIP-712 hash that the player signs, as checked by the vault. */
export function withdrawalHash(vault: VaultContract, order: WithdrawalOrder): Hash {
  return hashTypedData({
    domain: vaultDomain(vault),
    types: WITHDRAW_TYPES,
    primaryType: 'Withdraw',
    message: {
      player: order.player,
      token: tokenAddresses(vault)[order.token],
      amount: order.amountWei,
      nonce: BigInt(order.nonce),
    },
  })
}

/** Builds the call that pays a withdrawal. */
export function withdrawCall(vault: VaultConfig, order: WithdrawalOrder, signature: Hex): Hex {
  const token = tokenAddresses(vault)[order.token]
  const { player, amountWei, nonce } = order
  return encodeFunctionData({
    abi: vaultAbi,
    functionName: 'withdraw',
    args: [player, token, amountWei, BigInt(nonce), signature],
  })
}

/** Builds the call that burns a player's nonce, which invalidates signatures over it. */
export function burnCall(player: Address, nonce: number): Hex {
  return encodeFunctionData({
    abi: vaultAbi,
    functionName: 'burnNonce',
    args: [player, BigInt(nonce)],
  })
}

/** Builds the call that records the house's total result. @param resultWei in smallest units */
export function recordCall(vault: VaultConfig, token: Token, resultWei: bigint): Hex {
  return encodeFunctionData({
    abi: vaultAbi,
    functionName: 'recordHouseResult',
    args: [tokenAddresses(vault)[token], resultWei],
  })
}

/** Reads the number of a player's used nonces. @param block the block to read after; default: the newest */
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

/** Reads the account that may call the vault's payments. */
export async function vaultRelayer(vault: VaultConfig): Promise<Address> {
  return chainClient(vault).readContract({
    address: vault.address,
    abi: vaultAbi,
    functionName: 'relayer',
  })
}

/** Reads whether the vault's owner has paused it. */
export async function isVaultPaused(vault: VaultConfig): Promise<boolean> {
  return chainClient(vault).readContract({
    address: vault.address,
    abi: vaultAbi,
    functionName: 'paused',
  })
}

/** Reads the vault's actual balances, in smallest units. */
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

/** Builds the vault's call for a step of an order. */
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
