import {
  BlockNotFoundError,
  formatTransaction,
  formatTransactionReceipt,
  hexToNumber,
  type Hash,
  type Hex,
  type RpcTransaction,
  type RpcTransactionReceipt,
  type TransactionReceipt,
} from 'viem'
import type { PaymentFacts } from '../payment/judge.ts'
import { askOneNode, chainClient, orNull, type ChainNode, type NodeCall } from './client.ts'

/** Returns the calls that read a payment. The node may change its branch between them, so the head comes first. */
export function paymentCalls(hash: Hash): NodeCall[] {
  return [
    { method: 'eth_blockNumber', params: [] },
    { method: 'eth_getTransactionByHash', params: [hash] },
    { method: 'eth_getTransactionReceipt', params: [hash] },
  ]
}

/**
 * Reads a transaction's facts on chain; null if the chain doesn't know its hash. One node answers for the transaction
 * and the head: the head of another branch could confirm a payment that its branch lacks.
 * @throws if the node doesn't answer
 */
export async function readPayment(chain: ChainNode, hash: Hash): Promise<PaymentFacts | null> {
  const answers = await askOneNode(chain, paymentCalls(hash))
  const [head, transaction, receipt] = answers as [
    Hex,
    RpcTransaction | null,
    RpcTransactionReceipt | null,
  ]
  if (!transaction) return null
  const { chainId = null, from, to, value: valueWei, input } = formatTransaction(transaction)
  const mined = receipt && (await readMined(chain, formatTransactionReceipt(receipt)))
  const isInBlock = receipt !== null
  return { chainId, from, to, valueWei, input, isInBlock, mined, head: hexToNumber(head) }
}

/** Reads a transaction's block; null if the node lacks it: it may be behind, or the chain has dropped the block. */
async function readMined(
  chain: ChainNode,
  { blockNumber, blockHash, status }: TransactionReceipt,
): Promise<PaymentFacts['mined']> {
  const block = await orNull(chainClient(chain).getBlock({ blockNumber }), BlockNotFoundError)
  if (block?.hash !== blockHash) return null
  return {
    isSuccess: status === 'success',
    // The roll follows from its text, and a node may write it in any letter case.
    blockHash: blockHash.toLowerCase(),
    blockNumber: Number(blockNumber),
    paidAt: Number(block.timestamp) * 1000,
  }
}

/** Returns whether a node knows a block with a transaction, even if its chain has dropped that block. */
export async function hadPayment(chain: ChainNode, hash: Hash, blockHash: Hash): Promise<boolean> {
  const block = await orNull(chainClient(chain).getBlock({ blockHash }), BlockNotFoundError)
  return block?.transactions.includes(hash) ?? false
}
