import { isFailure, post } from '../api.ts'
import { untilAnswered } from '../pause.ts'
import { WalletError } from './wallet.ts'

/** How long a transaction may take to get into a block. */
export const GIVE_UP_MS = 180_000
export const NOT_MINED = 'The transaction is not in a block yet. Check it in your wallet.'

interface Receipt {
  status: '0x0' | '0x1'
  blockNumber: string
}

interface RpcAnswer {
  result?: unknown
  error?: { code: number; message: string }
}

/** Calls the chain through the service's proxy. @throws WalletError if there is no result */
export async function rpc<T>(method: string, params: unknown[] = []): Promise<T> {
  const answer = await post<RpcAnswer>('/api/rpc', { jsonrpc: '2.0', id: 1, method, params })
  if (isFailure(answer)) throw new WalletError(answer.error.message)
  if (answer.error) throw new WalletError(`The chain rejected this: ${answer.error.message}`)
  return answer.result as T
}

/** Returns the chain's answer, or null while it does not answer. */
export async function answerOrNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked
  } catch (fault) {
    if (fault instanceof WalletError) return null
    throw fault
  }
}

/**
 * Returns how many blocks confirm a transaction, its own included; 0 while it is in none, or while the chain
 * does not answer.
 * @throws WalletError if the transaction failed
 */
export async function confirmationsOf(hash: string): Promise<number> {
  const receipt = await answerOrNull(rpc<Receipt | null>('eth_getTransactionReceipt', [hash]))
  if (receipt?.status === '0x0') {
    throw new WalletError('The transaction failed on chain. Nothing was transferred.')
  }
  const head = receipt && (await answerOrNull(rpc<string>('eth_blockNumber')))
  return head ? Math.max(1, Number(head) - Number(receipt.blockNumber) + 1) : 0
}

/** Waits until a transaction is in a block. */
export async function waitForReceipt(hash: string): Promise<void> {
  const confirmed = await untilAnswered(
    async () => (await confirmationsOf(hash)) || null,
    GIVE_UP_MS,
  )
  if (confirmed === null) throw new WalletError(NOT_MINED)
}
