import type { RpcCall } from './protocol.ts'

/**
 * Returns whether a result is permanent: only a block's contents by its hash are. Anything else can
 * change in a reorganisation or still be null. A block with a different hash isn't trusted.
 */
export function isImmutable({ method, params }: RpcCall, result: unknown): boolean {
  return method === 'eth_getBlockByHash' && isBlockOf(params[0], result)
}

function isBlockOf(hash: unknown, block: unknown): boolean {
  if (typeof hash !== 'string' || typeof block !== 'object' || block === null) return false
  return (
    'hash' in block &&
    typeof block.hash === 'string' &&
    block.hash.toLowerCase() === hash.toLowerCase()
  )
}
