import { isHex, parseTransaction } from 'viem'
import { rpcError, type RpcCall } from '../../rpc-proxy/protocol.ts'
import type { RpcError } from '../../rpc-proxy/rpc-error.ts'

/**
 * Returns why a raw transaction may not be sent, or null if it may. Refuses transactions without a chain
 * id (from before EIP-155), which could be replayed on any chain.
 */
export function checkTransaction(
  [raw]: RpcCall['params'],
  chainId: number,
): { error: RpcError } | null {
  const signedFor = isHex(raw) ? chainIdOf(raw) : null
  if (signedFor === null)
    return rpcError(
      'invalidParams',
      'The parameter is not a raw transaction. Send a signed transaction in hex.',
    )
  return signedFor === chainId
    ? null
    : rpcError(
        'invalidParams',
        `The transaction is for another chain. Sign it for chain ${chainId}.`,
      )
}

/** @returns null if it isn't a transaction, undefined for a transaction without a chain id */
function chainIdOf(raw: `0x${string}`): number | undefined | null {
  try {
    return parseTransaction(raw).chainId
  } catch {
    return null
  }
}
