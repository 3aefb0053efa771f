import { BaseError, BlockNotFoundError, HttpRequestError, TimeoutError } from 'viem'
import { chainClient, isTooLong, orNull, type ChainNode } from './client.ts'

export interface Block {
  number: number
  hash: string
  /** The block's timestamp, in unix milliseconds. */
  at: number
}

/** Reads a block by its number; null if the node doesn't have it. */
export async function readBlock(node: ChainNode, number: number): Promise<Block | null> {
  const answer = chainClient(node).getBlock({ blockNumber: BigInt(number) })
  const block = await orNull(answer, BlockNotFoundError)
  return block && { number, hash: block.hash, at: Number(block.timestamp) * 1_000 }
}

/**
 * Reads the logs of a range of blocks, in order. If the node refuses a range, because it is too long or contains
 * too much, or its answer is longer than we take, reads it in halves.
 * @param read reads a range from its first to its last block
 * @throws if the node doesn't answer
 */
export async function readInHalves<L>(
  from: number,
  to: number,
  read: (from: bigint, to: bigint) => Promise<L[]>,
): Promise<L[]> {
  try {
    return await read(BigInt(from), BigInt(to))
  } catch (fault) {
    if (from === to || !isRefused(fault)) throw fault
    const middle = Math.floor((from + to) / 2)
    const lower = await readInHalves(from, middle, read)
    return [...lower, ...(await readInHalves(middle + 1, to, read))]
  }
}

/** Returns whether the node, or our client, refused an answer of this size, as opposed to the node being down or slow. */
function isRefused(fault: unknown): boolean {
  if (!(fault instanceof BaseError)) return false
  if (isTooLong(fault)) return true
  const isSilent = (cause: unknown) =>
    cause instanceof TimeoutError || (cause instanceof HttpRequestError && cause.status !== 413)
  return fault.walk(isSilent) === null
}
