import {
  BaseError,
  BlockNotFoundError,
  hexToNumber,
  HttpRequestError,
  numberToHex,
  TimeoutError,
} from 'viem'
import type { Hash, Hex } from 'viem'
import type { ChainConfig } from '../config/config.ts'
import { askOneNode, chainClient, isTooLong, orNull, type ChainNode } from './client.ts'

export interface Block {
  number: number
  hash: Hash
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
 * Returns whether one node has both a block and enough confirmations of it: the head of another branch could confirm a block
 * that its branch lacks. The head comes first, in case the node changes its branch between the calls.
 * @throws if the node doesn't answer
 */
export async function isConfirmed(chain: ChainConfig, { number, hash }: Block): Promise<boolean> {
  const answers = await askOneNode(chain, [
    { method: 'eth_blockNumber', params: [] },
    { method: 'eth_getBlockByNumber', params: [numberToHex(number), false] },
  ])
  const [head, block] = answers as [Hex, { hash: Hash } | null]
  return block?.hash === hash && hexToNumber(head) - number >= chain.confirmations - 1
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
