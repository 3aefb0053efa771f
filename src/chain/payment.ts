import { hexToNumber, numberToHex, TransactionNotFoundError } from 'viem'
import type { Hash, Hex, RpcBlock, RpcTransactionReceipt } from 'viem'
import type { ChainConfig } from '../config/config.ts'
import type { PaymentFacts } from '../payment/judge.ts'
import { askOneNode, chainClient, orNull } from './client.ts'

/**
 * Reads a transaction's facts on chain; null if the chain doesn't know its hash.
 * @throws if the node doesn't answer
 */
export async function readPayment(chain: ChainConfig, hash: Hash): Promise<PaymentFacts | null> {
  const answer = chainClient(chain).getTransaction({ hash })
  const transaction = await orNull(answer, TransactionNotFoundError)
  if (!transaction) return null
  const { chainId = null, from, to, value: valueWei, input, blockNumber } = transaction
  const mined = blockNumber === null ? null : await readMined(chain, hash, blockNumber)
  return { chainId, from, to, valueWei, input, mined }
}

/**
 * Reads the block in which a transaction was mined, and the head; null if the block has been reorganised away. One node answers
 * all of it: the head of another branch would confirm what that branch doesn't have.
 */
async function readMined(
  chain: ChainConfig,
  hash: Hash,
  blockNumber: bigint,
): Promise<PaymentFacts['mined']> {
  const [receipt, block, head] = (await askOneNode(chain, [
    { method: 'eth_getTransactionReceipt', params: [hash] },
    { method: 'eth_getBlockByNumber', params: [numberToHex(blockNumber), false] },
    { method: 'eth_blockNumber', params: [] },
  ])) as [RpcTransactionReceipt | null, RpcBlock | null, Hex]
  if (!receipt || !block?.hash || block.hash !== receipt.blockHash) return null
  return {
    isSuccess: receipt.status === '0x1',
    blockHash: block.hash,
    blockNumber: Number(blockNumber),
    paidAt: hexToNumber(block.timestamp) * 1000,
    head: hexToNumber(head),
  }
}
