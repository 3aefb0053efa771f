import {
  encodeFunctionData,
  erc20Abi,
  getContract,
  hashTypedData,
  type Address,
  type Hash,
  type Hex,
  type PublicClient,
  zeroAddress,
} from 'viem'
import type { VaultConfig } from '../config/config.ts'
import { min } from '../core/bigint.ts'
import { DAY_MS } from '../core/utc-day.ts'
import { perToken, TOKENS, type PerToken, type Token } from '../money/token.ts'
import type { OrderStep, ResultOrder, WithdrawalOrder } from '../relayer/payout.ts'
import type { NextRelayer } from '../vault/table-config.ts'
import { tokenAddresses, vaultDomain, WITHDRAW_TYPES } from '../vault/typed-data.ts'
import { vaultAbi } from './abi.ts'
import { afterBlock, chainClient, confirmedHead } from './client.ts'

/** How long an announced relayer may take over: the vault's RELAYER_WINDOW. */
const RELAYER_WINDOW_MS = 7 * DAY_MS

/** A withdrawal as signed by its player. */
export interface WithdrawalMessage {
  player: Address
  token: Token
  amountWei: bigint
  nonce: number
}

/** The parts of the vault's configuration that a client needs. */
type VaultContract = Pick<VaultConfig, 'chainId' | 'address' | 'usdg'>

/** Returns the token at an address, or null if it isn't one of the vault's. */
export function tokenAt(vault: VaultConfig, address: Address): Token | null {
  const addresses = tokenAddresses(vault)
  return TOKENS.find((token) => addresses[token].toLowerCase() === address.toLowerCase()) ?? null
}

/** Returns the EIP-712 hash that the player signs, as checked by the vault. */
export function withdrawalHash(vault: VaultContract, order: WithdrawalMessage): Hash {
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

/** The vault, as read through its node. */
export function vaultContract(vault: VaultConfig) {
  return getContract({ address: vault.address, abi: vaultAbi, client: chainClient(vault) })
}

/** Reads the number of a player's used nonces. @param block the block to read after; default: the newest */
export async function usedNonces(
  vault: VaultConfig,
  player: Address,
  block?: number | Hash,
): Promise<number> {
  return Number(await vaultContract(vault).read.nonces([player], afterBlock(block)))
}

export function vaultOwner(vault: VaultConfig): Promise<Address> {
  return vaultContract(vault).read.owner()
}

/** Reads the account that may call the vault's payments. @param block the block to read after; default: the newest */
export function vaultRelayer(vault: VaultConfig, block?: number | Hash): Promise<Address> {
  return vaultContract(vault).read.relayer(afterBlock(block))
}

export function isVaultPaused(vault: VaultConfig): Promise<boolean> {
  return vaultContract(vault).read.paused()
}

/**
 * Returns the relayer that the vault's owner has announced, or null without an announcement or once it has lapsed.
 * @param headAt the timestamp of the newest block, in unix milliseconds
 */
export async function announcedRelayer(
  vault: VaultConfig,
  headAt: number,
): Promise<NextRelayer | null> {
  const { read } = vaultContract(vault)
  const address = await read.nextRelayer()
  if (address === zeroAddress) return null
  const from = Number(await read.nextRelayerFrom()) * 1_000
  const until = from + RELAYER_WINDOW_MS
  return headAt <= until ? { address, from, until } : null
}

/** Reads the vault's actual balances, in smallest units. @param block the block to read after; default: the newest */
export async function vaultBalances(vault: VaultConfig, block?: number): Promise<PerToken<bigint>> {
  return balancesAt(chainClient(vault), vault, block)
}

/** A vault's holdings after a block. */
export interface VaultHoldings {
  /**
   * The amounts that it could pay, in smallest units: its balances, or the contract's own count if that is less. Tokens
   * that it received without counting them are never paid out.
   */
  holdings: PerToken<bigint>
  blockNumber: number
  blockHash: Hash
}

/**
 * Reads the vault's holdings after the newest block with enough confirmations. @throws if that block is replaced
 * meanwhile
 */
export async function confirmedHoldings(vault: VaultConfig): Promise<VaultHoldings> {
  const blockNumber = Math.max(0, await confirmedHead(vault))
  return holdingsAt(chainClient(vault), vault, blockNumber)
}

/** Reads a vault's holdings after a block. @throws if that block is replaced meanwhile */
export async function holdingsAt(
  client: PublicClient,
  vault: Pick<VaultConfig, 'address' | 'usdg'>,
  blockNumber: number,
): Promise<VaultHoldings> {
  const hashOf = async () => (await client.getBlock({ blockNumber: BigInt(blockNumber) })).hash
  const blockHash = await hashOf()
  const [balances, booked] = await Promise.all([
    balancesAt(client, vault, blockNumber),
    bookedAt(client, vault, blockNumber),
  ])
  const holdings = perToken((token) => min(balances[token], booked[token]))
  if ((await hashOf()) !== blockHash) throw new Error(`block ${blockNumber} was replaced`)
  return { holdings, blockNumber, blockHash }
}

/** Returns when a block was made, in unix milliseconds; null if the chain does not have it yet. */
export async function blockTime(client: PublicClient, blockNumber: number): Promise<number | null> {
  if ((await client.getBlockNumber({ cacheTime: 0 })) < BigInt(blockNumber)) return null
  const { timestamp } = await client.getBlock({ blockNumber: BigInt(blockNumber) })
  return Number(timestamp) * 1_000
}

async function balancesAt(
  client: PublicClient,
  { address, usdg }: Pick<VaultConfig, 'address' | 'usdg'>,
  block?: number,
): Promise<PerToken<bigint>> {
  const options = afterBlock(block)
  const dollars = getContract({ address: usdg, abi: erc20Abi, client })
  const [ETH, USDG] = await Promise.all([
    client.getBalance({ address, ...options }),
    dollars.read.balanceOf([address], options),
  ])
  return { ETH, USDG }
}

/** Reads the vault's holdings after a block by the contract's own count, in smallest units. */
async function bookedAt(
  client: PublicClient,
  vault: Pick<VaultConfig, 'address' | 'usdg'>,
  block: number,
): Promise<PerToken<bigint>> {
  const { read } = getContract({ address: vault.address, abi: vaultAbi, client })
  const addresses = tokenAddresses(vault)
  const options = afterBlock(block)
  const [ETH, USDG] = await Promise.all([
    read.holdings([addresses.ETH], options),
    read.holdings([addresses.USDG], options),
  ])
  return { ETH, USDG }
}

/** Builds the vault's call for a step of an order. A burned nonce invalidates the signatures over it. */
export function vaultCall(
  vault: VaultConfig,
  step: OrderStep,
  order: WithdrawalOrder | ResultOrder,
): Hex {
  const token = tokenAddresses(vault)[order.token]
  if (order.kind === 'result') {
    const args = [token, BigInt(order.resultWei)] as const
    return encodeFunctionData({ abi: vaultAbi, functionName: 'recordHouseResult', args })
  }
  const player = order.player as Address
  const nonce = BigInt(order.nonce)
  if (step === 'burn') {
    return encodeFunctionData({ abi: vaultAbi, functionName: 'burnNonce', args: [player, nonce] })
  }
  const args = [player, token, BigInt(order.amountWei), nonce, order.signature as Hex] as const
  return encodeFunctionData({ abi: vaultAbi, functionName: 'withdraw', args })
}
