import { rpcError, type RpcCall } from './protocol.ts'
import type { RpcError } from './rpc-error.ts'

/** The largest difference between `toBlock` and `fromBlock`. */
const MAX_LOG_RANGE = 2_000n

const TAGS = ['latest', 'safe', 'finalized', 'pending', 'earliest'] as const
type BlockTag = (typeof TAGS)[number]

/** A block number or tag in a filter. */
export type BlockRef = bigint | BlockTag

/** A filter's fields and its range of blocks; the range is null if the filter has a `blockHash`. */
interface LogFilter {
  fields: Record<string, unknown>
  range: { from: BlockRef; to: BlockRef } | null
}

const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]{0,15})$/i

/** Parses a quantity. @returns its number, or null unless it is a valid quantity of at most 64 bits */
export function parseQuantity(value: unknown): bigint | null {
  return typeof value === 'string' && QUANTITY.test(value) ? BigInt(value) : null
}

/**
 * Reads the parameter of `eth_getLogs`. Rebuilds the filter from known fields, because nodes accept
 * names in any letter case: a `FROMBLOCK` passed on would bypass the limit.
 */
export function readLogFilter([filter]: RpcCall['params']): LogFilter | { error: RpcError } {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) {
    return rpcError('invalidParams', 'The filter must be an object.')
  }
  const { address, topics, blockHash, fromBlock, toBlock } = filter as Record<string, unknown>
  const fields = {
    ...(address === undefined ? {} : { address }),
    ...(topics === undefined ? {} : { topics }),
  }
  const from = readBlock(fromBlock)
  const to = readBlock(toBlock)
  if (from === null || to === null) {
    return rpcError(
      'invalidParams',
      `A block must be 0x and hex digits, or one of: ${TAGS.join(', ')}.`,
    )
  }
  if (!isGiven(blockHash)) return { fields, range: { from, to } }
  if (typeof blockHash !== 'string' || !BLOCK_HASH.test(blockHash)) {
    return rpcError('invalidParams', 'blockHash must be 0x and 64 hex digits.')
  }
  return isGiven(fromBlock) || isGiven(toBlock)
    ? rpcError('invalidParams', 'blockHash cannot be combined with fromBlock or toBlock.')
    : { fields: { ...fields, blockHash }, range: null }
}

/** Builds a node's parameters from a filter, once its tags are resolved to block numbers. */
export function logParams(
  { fields }: LogFilter,
  from: bigint,
  to: bigint,
): unknown[] | { error: RpcError } {
  if (from > to) return rpcError('invalidParams', 'fromBlock must not be above toBlock.')
  if (to - from > MAX_LOG_RANGE) {
    return rpcError(
      'invalidParams',
      `The range is too large. Set toBlock at most ${MAX_LOG_RANGE} above fromBlock.`,
    )
  }
  return [{ ...fields, fromBlock: toQuantity(from), toBlock: toQuantity(to) }]
}

const BLOCK_HASH = /^0x[0-9a-f]{64}$/i

function readBlock(value: unknown): BlockRef | null {
  if (!isGiven(value)) return 'latest'
  return TAGS.find((tag) => tag === value) ?? parseQuantity(value)
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

function toQuantity(number: bigint): string {
  return `0x${number.toString(16)}`
}
