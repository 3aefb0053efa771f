import { isHex, parseTransaction } from 'viem'
import { rpcError, type Call, type RpcError } from '../../rpc-proxy/protocol.ts'

/**
 * Why a raw transaction may not be sent, if it may not. One signed before EIP-155 names no chain and
 * could be played on any: it is refused.
 */
export function checkTransaction(
  [raw]: Call['params'],
  chainId: number,
): { error: RpcError } | null {
  const signedFor = isHex(raw) ? chainIdOf(raw) : null
  if (signedFor === null) return rpcError('invalidParams', 'This is no raw transaction.')
  return signedFor === chainId
    ? null
    : rpcError('invalidParams', `The transaction must be signed for chain ${chainId}.`)
}

/** @returns null for what is no transaction, undefined for a transaction that names no chain */
function chainIdOf(raw: `0x${string}`): number | undefined | null {
  try {
    return parseTransaction(raw).chainId
  } catch {
    return null
  }
}
