import type { Call } from './protocol.ts'

/**
 * Whether a result holds for ever: a block's contents by its hash. All else can be reorganised away or
 * be null today; a block of another hash than the one asked for is not believed.
 */
export function isImmutable({ method, params }: Call, result: unknown): boolean {
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
