import { BaseError, HttpRequestError, type Hex, type PublicClient } from 'viem'
import { isCausedBy } from './client.ts'

/**
 * Init code that returns its block's PREVRANDAO, after a zero byte: no code may begin with 0xef (EIP-3541), and a
 * random word may.
 */
const RETURN_PREVRANDAO: Hex = '0x4460015260216000f3'

/**
 * How far apart the compared blocks are: blocks of a rollup may share the randomness of their parent chain's block for
 * a while. Nodes keep the states of at least 128 blocks.
 */
const BLOCKS_APART = 100n

/** Why boxes can't be sold on a chain without randomness. */
export const NO_RANDOMNESS =
  "This chain's blocks have no randomness of their own (PREVRANDAO is constant), so the pepper's holder would know each box's tier before its sale."

/**
 * Returns whether PREVRANDAO, from which the boxes' ids are drawn, differs between blocks; true if the chain has only
 * one block, or the node doesn't run code without a contract.
 * @throws if the node can't be reached
 */
export async function hasRandomness(
  client: Pick<PublicClient, 'call' | 'getBlockNumber'>,
): Promise<boolean> {
  const head = await client.getBlockNumber({ cacheTime: 0 })
  if (head === 0n) return true
  const blocks = [head, head > BLOCKS_APART ? head - BLOCKS_APART : 0n]
  try {
    const [newer, older] = await Promise.all(
      blocks.map((blockNumber) => client.call({ data: RETURN_PREVRANDAO, blockNumber })),
    )
    return newer?.data === undefined || newer.data !== older?.data
  } catch (fault) {
    if (!(fault instanceof BaseError) || isCausedBy(fault, HttpRequestError)) throw fault
    return true
  }
}
