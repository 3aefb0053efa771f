import {
  formatTransactionReceipt,
  hexToNumber,
  keccak256,
  parseTransaction,
  TransactionReceiptNotFoundError,
  type Address,
  type Hash,
  type Hex,
  type RpcTransactionReceipt,
  type TransactionReceipt,
  type TransactionSerializedEIP1559,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { VaultConfig } from '../config/config.ts'
import { invariant } from '../core/invariant.ts'
import type { FeeMarket, Fees } from '../relayer/fees.ts'
import { askOneNode, chainClient, confirmedBelow, isRevert, orNull } from './client.ts'
import { readBlock } from './logs.ts'

/** The gas limit of any call; swaps take the most. */
export const MAX_GAS = 1_000_000n

/** The relayer's account on chain. */
interface SenderAccount {
  address: Address
  /** The number of its transactions on the chain. */
  used: number
  balanceWei: bigint
}

/** One reading of the chain. */
export interface ChainReading {
  vault: VaultConfig
  /** The newest block's number. */
  head: number
  headHash: Hash
  /** Its timestamp, in unix milliseconds. */
  headAt: number
  sender: SenderAccount
  market: FeeMarket
}

export async function takeChainReading(vault: VaultConfig): Promise<ChainReading> {
  const client = chainClient(vault)
  const [block, priorityFeePerGas, sender] = await Promise.all([
    client.getBlock(),
    client.estimateMaxPriorityFeePerGas(),
    readSender(vault),
  ])
  const market = { baseFeePerGas: block.baseFeePerGas ?? 0n, priorityFeePerGas }
  const { number, hash: headHash, timestamp } = block
  const headAt = Number(timestamp) * 1_000
  return { vault, head: Number(number), headHash, headAt, sender, market }
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

/** Reads the number of an account's transactions on the chain. */
export function nonceOf(vault: VaultConfig, address: Address): Promise<number> {
  return chainClient(vault).getTransactionCount({ address })
}

export interface ContractCall {
  to: Address
  data: Hex
}

/** Returns the call in a signed transaction. */
export function callIn(raw: Hex): ContractCall {
  const { to, data = '0x' } = parseTransaction(raw as TransactionSerializedEIP1559)
  invariant(to, 'the relayer creates no contracts')
  return { to, data }
}

/** Returns the gas limit of a signed transaction. */
export function gasIn(raw: Hex): bigint {
  return parseTransaction(raw as TransactionSerializedEIP1559).gas ?? 0n
}

/** Returns the call of a transaction that only uses its nonce: the relayer sends nothing to itself. */
export function emptyCall({ relayer }: VaultConfig): ContractCall {
  return { to: privateKeyToAccount(relayer.privateKey).address, data: '0x' }
}

/**
 * Estimates a call's gas; null if the contract would refuse the call. A refusal is not final: the node may be behind,
 * or on a branch that the others have left. See {@link isRefused}.
 * @throws if the node doesn't answer
 */
export function estimateGas(
  { vault, sender }: ChainReading,
  call: ContractCall,
): Promise<bigint | null> {
  const request = { account: sender.address, ...call }
  return unlessReverted(chainClient(vault).estimateGas(request))
}

/**
 * Returns whether the contract refuses a call after the block of a look, or the call takes more than `most`.
 * @throws if the node doesn't answer, or doesn't have the block: behind one address there may be several nodes
 */
export async function isRefused(
  { vault, sender, headHash }: ChainReading,
  call: ContractCall,
  most: bigint,
): Promise<boolean> {
  const request = { account: sender.address, ...call, gas: most, blockHash: headHash }
  return (await unlessReverted(chainClient(vault).call(request))) === null
}

/**
 * Returns whether a call of the relayer needs more gas than `few` to succeed. False if it doesn't succeed with `most`
 * either. Makes at most two calls to the node.
 * @throws if the node doesn't answer
 */
export async function needsMoreGas(
  vault: VaultConfig,
  call: ContractCall,
  { few, most }: { few: bigint; most: bigint },
): Promise<boolean> {
  const account = privateKeyToAccount(vault.relayer.privateKey).address
  const succeedsWith = async (gas: bigint) =>
    (await unlessReverted(chainClient(vault).call({ account, ...call, gas }))) !== null
  return !(await succeedsWith(few)) && succeedsWith(most)
}

async function unlessReverted<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (fault) {
    if (isRevert(fault)) return null
    throw fault
  }
}

/** Returns the gas limit for an estimate, with a margin, because state may change before it is mined. */
export function withMargin(gas: bigint): bigint {
  return (gas * 5n) / 4n
}

export interface SignedTransaction extends Fees {
  hash: Hash
  raw: Hex
}

/** Signs a call with the relayer's key, without sending it. */
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

/** Sends a signed transaction to the node. @throws if the node doesn't accept it */
export async function broadcast(vault: VaultConfig, raw: Hex): Promise<void> {
  await chainClient(vault).sendRawTransaction({ serializedTransaction: raw })
}

export interface ChainReceipt {
  hash: Hash
  block: number
  /** Whether it had an effect: a call to an address without code succeeds, too, but leaves no log. */
  isSuccess: boolean
  /** The cost of its gas, in wei. A rollup may charge more for the data. */
  costWei: bigint
}

/** Reads a transaction's receipt; null if it isn't mined. The block may be one that the other nodes have left. */
export async function receiptOf(vault: VaultConfig, hash: Hash): Promise<ChainReceipt | null> {
  const answer = chainClient(vault).getTransactionReceipt({ hash })
  const receipt = await orNull(answer, TransactionReceiptNotFoundError)
  return receipt && shown(hash, receipt)
}

/**
 * Reads a transaction's receipt if its block is confirmed; otherwise returns null. One node answers for the head and
 * the receipt, the head first: the head of another branch could confirm a receipt that its branch lacks. The block of
 * that number is asked for separately, because the node itself may be on a branch that the others have left.
 * @throws if the node doesn't answer
 */
export async function confirmedReceipt(
  vault: VaultConfig,
  hash: Hash,
): Promise<ChainReceipt | null> {
  const answers = await askOneNode(vault, [
    { method: 'eth_blockNumber', params: [] },
    { method: 'eth_getTransactionReceipt', params: [hash] },
  ])
  const [head, mined] = answers as [Hex, RpcTransactionReceipt | null]
  if (!mined) return null
  const receipt = formatTransactionReceipt(mined)
  const number = Number(receipt.blockNumber)
  if (number > confirmedBelow(hexToNumber(head), vault)) return null
  const block = await readBlock(vault, number)
  return block?.hash === receipt.blockHash ? shown(hash, receipt) : null
}

function shown(
  hash: Hash,
  { blockNumber, status, logs, gasUsed, effectiveGasPrice }: TransactionReceipt,
): ChainReceipt {
  const costWei = gasUsed * effectiveGasPrice
  const isSuccess = status === 'success' && logs.length > 0
  return { hash, block: Number(blockNumber), isSuccess, costWei }
}
