import { rpcError, type RpcCall } from './protocol.ts'
import type { RpcError } from './rpc-error.ts'

/**
 * The allowed methods and their numbers of parameters. They read the chain; methods for a node's own
 * matters (accounts, filters, traces, administration) are excluded. `eth_call` and `eth_estimateGas`
 * would accept a third parameter to override state and a fourth to override the block; both are refused.
 */
const PARAMETERS = new Map<string, readonly [min: number, max: number]>([
  ['eth_chainId', [0, 0]],
  ['net_version', [0, 0]],
  ['eth_blockNumber', [0, 0]],
  ['eth_gasPrice', [0, 0]],
  ['eth_maxPriorityFeePerGas', [0, 0]],
  ['eth_blobBaseFee', [0, 0]],
  ['eth_feeHistory', [2, 3]],
  ['eth_getBalance', [1, 2]],
  ['eth_getCode', [1, 2]],
  ['eth_getTransactionCount', [1, 2]],
  ['eth_getStorageAt', [2, 3]],
  ['eth_getProof', [2, 3]],
  ['eth_call', [1, 2]],
  ['eth_estimateGas', [1, 2]],
  ['eth_getBlockByNumber', [1, 2]],
  ['eth_getBlockByHash', [1, 2]],
  ['eth_getBlockReceipts', [1, 1]],
  ['eth_getBlockTransactionCountByNumber', [1, 1]],
  ['eth_getBlockTransactionCountByHash', [1, 1]],
  ['eth_getTransactionByHash', [1, 1]],
  ['eth_getTransactionByBlockNumberAndIndex', [2, 2]],
  ['eth_getTransactionByBlockHashAndIndex', [2, 2]],
  ['eth_getTransactionReceipt', [1, 1]],
  ['eth_getLogs', [1, 1]],
  ['eth_sendRawTransaction', [1, 1]],
])

export const METHODS = [...PARAMETERS.keys()]

/** Returns why a call isn't allowed, or null if it is. */
export function checkCall(
  { method, params }: RpcCall,
  { sendsTransactions }: { sendsTransactions: boolean },
): { error: RpcError } | null {
  const count = PARAMETERS.get(method)
  if (!count || (method === 'eth_sendRawTransaction' && !sendsTransactions)) {
    return rpcError(
      'methodNotFound',
      'This method is not available here. See the API reference for the available methods.',
    )
  }
  const [min, max] = count
  if (params.length >= min && params.length <= max) return null
  const range = min === max ? String(min) : `${min} to ${max}`
  return rpcError('invalidParams', `${method} takes ${range} parameters.`)
}
