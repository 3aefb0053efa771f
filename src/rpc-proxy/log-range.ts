import { rpcError, type Call, type RpcError } from './protocol.ts'

/** The most that `toBlock` may lie above `fromBlock`. */
export const MAX_LOG_RANGE = 2_000n

const TAGS = ['latest', 'safe', 'finalized', 'pending', 'earliest'] as const
export type BlockTag = (typeof TAGS)[number]

/** A block as a filter names it. */
export type BlockRef = bigint | BlockTag

/** A filter's own fields, and the blocks that it spans; null for the one block of `blockHash`. */
export interface LogFilter {
  fields: Record<string, unknown>
  range: { from: BlockRef; to: BlockRef } | null
}

const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]{0,15})$/i

/** @returns the number that a quantity stands for, or null if it is none of 64 bits */
export function parseQuantity(value: unknown): bigint | null {
  return typeof value === 'string' && QUANTITY.test(value) ? BigInt(value) : null
}

/**
 * Reads the parameter of `eth_getLogs`. The filter is made anew of the fields that are known: nodes
 * read names in any letter case, so a `FROMBLOCK` let through would lift the limit.
 */
export function readLogFilter([filter]: Call['params']): LogFilter | { error: RpcError } {
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
    return rpcError('invalidParams', `A block is 0x and hex digits, or one of: ${TAGS.join(', ')}.`)
  }
  if (!isGiven(blockHash)) return { fields, range: { from, to } }
  if (typeof blockHash !== 'string' || !BLOCK_HASH.test(blockHash)) {
    return rpcError('invalidParams', 'blockHash is 0x and 64 hex digits.')
  }
  return isGiven(fromBlock) || isGiven(toBlock)
    ? rpcError('invalidParams', 'blockHash goes without fromBlock and toBlock.')
    : { fields: { ...fields, blockHash }, range: null }
}

/** The parameters to ask a node with, once it is known which blocks are meant. */
export function logParams(
  { fields }: LogFilter,
  from: bigint,
  to: bigint,
): unknown[] | { error: RpcError } {
  if (from > to) return rpcError('invalidParams', 'fromBlock must not be above toBlock.')
  if (to - from > MAX_LOG_RANGE) {
    return rpcError('invalidParams', `A range may span ${MAX_LOG_RANGE} blocks at most.`)
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
