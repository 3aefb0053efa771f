import {
  keccak256,
  parseTransaction,
  TransactionReceiptNotFoundError,
  type Address,
  type Hash,
  type Hex,
  type TransactionSerializedEIP1559,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { VaultConfig } from '../config/config.ts'
import { invariant } from '../core/invariant.ts'
import type { FeeMarket, Fees } from '../relayer/fees.ts'
import { chainClient, headOf, isRevert } from './client.ts'

/** The most gas of any call: a swap takes more than a withdrawal. */
export const MAX_GAS = 1_000_000n

/** What the chain says of the relayer's account. */
export interface SenderAccount {
  address: Address
  /** How many of its transactions are on the chain. */
  used: number
  balanceWei: bigint
}

/** What one look at the chain found. */
export interface Look {
  vault: VaultConfig
  /** The newest block's number. */
  head: number
  sender: SenderAccount
  market: FeeMarket
}

export async function lookAt(vault: VaultConfig): Promise<Look> {
  const [head, sender, market] = await Promise.all([
    headOf(chainClient(vault)),
    readSender(vault),
    readFeeMarket(vault),
  ])
  return { vault, head, sender, market }
}

export async function readSender(vault: VaultConfig): Promise<SenderAccount> {
  const { address } = privateKeyToAccount(vault.relayer.privateKey)
  const client = chainClient(vault)
  const [used, balanceWei] = await Promise.all([
    nonceOf(vault, address),
    client.getBalance({ address }),
  ])
  return { address, used, balanceWei }
}

/** How many of an account's transactions are on the chain. */
export function nonceOf(vault: VaultConfig, address: Address): Promise<number> {
  return chainClient(vault).getTransactionCount({ address })
}

async function readFeeMarket(vault: VaultConfig): Promise<FeeMarket> {
  const client = chainClient(vault)
  const [{ baseFeePerGas }, priorityFeePerGas] = await Promise.all([
    client.getBlock(),
    client.estimateMaxPriorityFeePerGas(),
  ])
  return { baseFeePerGas: baseFeePerGas ?? 0n, priorityFeePerGas }
}

/** What the relayer sends: a contract and its call. */
export interface ContractCall {
  to: Address
  data: Hex
}

/** The call that a signed transaction makes. */
export function callIn(raw: Hex): ContractCall {
  const { to, data } = parseTransaction(raw as TransactionSerializedEIP1559)
  invariant(to && data, 'the relayer signs calls of contracts alone')
  return { to, data }
}

/**
 * Returns the gas that a call takes, or null where the contract would refuse it or it takes more than the most.
 * @throws where the node does not answer
 */
export async function estimateGas(
  vault: VaultConfig,
  call: ContractCall,
  most: bigint,
): Promise<bigint | null> {
  const { address: account } = privateKeyToAccount(vault.relayer.privateKey)
  try {
    return await chainClient(vault).estimateGas({ account, ...call, gas: most })
  } catch (fault) {
    if (isRevert(fault)) return null
    throw fault
  }
}

/** Returns the gas limit of a transaction whose call was estimated: state may change before it is mined. */
export function withMargin(gas: bigint): bigint {
  return (gas * 5n) / 4n
}

export interface SignedTransaction extends Fees {
  hash: Hash
  raw: Hex
}

/** Signs a call with the relayer's key. Nothing is sent. */
export async function signCall(
  vault: VaultConfig,
  call: ContractCall,
  { nonce, gas, fees }: { nonce: number; gas: bigint; fees: Fees },
): Promise<SignedTransaction> {
  const account = privateKeyToAccount(vault.relayer.privateKey)
  const raw = await account.signTransaction({
    type: 'eip1559',
    chainId: vault.chainId,
    ...call,
    nonce,
    gas,
    ...fees,
  })
  return { ...fees, raw, hash: keccak256(raw) }
}

/** Gives a signed transaction to the node. @throws where the node does not take it, for whatever reason */
export async function broadcast(vault: VaultConfig, raw: Hex): Promise<void> {
  await chainClient(vault).sendRawTransaction({ serializedTransaction: raw })
}

export interface Receipt {
  hash: Hash
  block: number
  isSuccess: boolean
}

/** What became of a transaction; null where it is in no block. */
export async function receiptOf(vault: VaultConfig, hash: Hash): Promise<Receipt | null> {
  try {
    const receipt = await chainClient(vault).getTransactionReceipt({ hash })
    return { hash, block: Number(receipt.blockNumber), isSuccess: receipt.status === 'success' }
  } catch (fault) {
    if (fault instanceof TransactionReceiptNotFoundError) return null
    throw fault
  }
}
