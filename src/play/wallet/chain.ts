import { isFailure, post } from '../api.ts'
import { WalletError } from './wallet.ts'

const ASK_AGAIN_MS = 1_000
const GIVE_UP_MS = 180_000

export interface Receipt {
  status: '0x0' | '0x1'
  blockNumber: string
  transactionHash: string
}

interface RpcAnswer {
  result?: unknown
  error?: { code: number; message: string }
}

/** Asks the chain through the service. */
export async function rpc<T>(method: string, params: unknown[] = []): Promise<T> {
  const answer = await post<RpcAnswer>('/api/rpc', { jsonrpc: '2.0', id: 1, method, params })
  if (isFailure(answer)) throw new WalletError(answer.error.message)
  if (answer.error) throw new WalletError(`The chain refused: ${answer.error.message}`)
  return answer.result as T
}

/** What the chain says; null where it says nothing now. */
export async function told<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked
  } catch (fault) {
    if (fault instanceof WalletError) return null
    throw fault
  }
}

/** Waits until a transaction is in a block; a chain that does not answer is asked again. */
export async function waitForReceipt(hash: string): Promise<Receipt> {
  const until = Date.now() + GIVE_UP_MS
  for (;;) {
    const receipt = await told(rpc<Receipt | null>('eth_getTransactionReceipt', [hash]))
    if (receipt?.status === '0x1') return receipt
    if (receipt) throw new WalletError('The transaction failed on the chain; nothing was moved.')
    if (Date.now() > until) throw new WalletError('The transaction is not in a block yet.')
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
  }
}
