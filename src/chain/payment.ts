import { BlockNotFoundError, TransactionNotFoundError, TransactionReceiptNotFoundError } from 'viem'
import type { Hash, PublicClient } from 'viem'
import type { ChainConfig } from '../config/config.ts'
import type { PaymentFacts } from '../payment/judge.ts'
import { chainClient, headOf, orNull } from './client.ts'

/**
 * Reads a transaction's facts on chain; null if the chain doesn't know its hash.
 * @throws if the node doesn't answer
 */
export async function readPayment(chain: ChainConfig, hash: Hash): Promise<PaymentFacts | null> {
  const client = chainClient(chain)
  const [transaction, head] = await Promise.all([
    orNull(client.getTransaction({ hash }), TransactionNotFoundError),
    headOf(client),
  ])
  if (!transaction) return null
  // After the head, which could otherwise be that of another branch, on which nothing confirms the transaction.
  const mined = await readMined(client, hash)
  const { chainId = null, from, to, value: valueWei, input } = transaction
  return { chainId, from, to, valueWei, input, mined, head }
}

/** Reads a transaction's block; null if it isn't mined, or its block was reorganised away. */
async function readMined(client: PublicClient, hash: Hash): Promise<PaymentFacts['mined']> {
  const receipt = await orNull(
    client.getTransactionReceipt({ hash }),
    TransactionReceiptNotFoundError,
  )
  if (!receipt) return null
  const { blockNumber, blockHash, status } = receipt
  const block = await orNull(client.getBlock({ blockNumber }), BlockNotFoundError)
  if (block?.hash !== blockHash) return null
  return {
    isSuccess: status === 'success',
    blockHash,
    blockNumber: Number(blockNumber),
    paidAt: Number(block.timestamp) * 1000,
  }
}
