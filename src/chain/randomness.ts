import { BaseError, HttpRequestError, TimeoutError, type Hex, type PublicClient } from 'viem'
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

/** Nearly every random word (all but one in 2^128) has a bit above these; a difficulty has none. */
const LOWER_BITS = 128n

/** Why boxes can't be sold on a chain without randomness. */
export const NO_RANDOMNESS =
  "This chain's blocks have no randomness of their own (PREVRANDAO is constant, or a difficulty), so the pepper's holder would know each box's tier before its sale."

/** The message if a node can't tell. */
export const UNKNOWN_RANDOMNESS =
  'The node did not run the code that reads PREVRANDAO in two blocks, so nobody has checked that boxes are drawn from it. Try a node that does, or make sure that the chain has blocks with random values.'

/**
 * Returns whether PREVRANDAO, the source of the boxes' ids, is random: a long number that differs between blocks.
 * Before proof of stake, its place had the block's difficulty. Returns null if the chain has only one block, or the
 * node doesn't run code without a contract or lacks an earlier block's state.
 * @throws if the node can't be reached
 */
export async function hasRandomness(
  client: Pick<PublicClient, 'call' | 'getBlockNumber'>,
): Promise<boolean | null> {
  const head = await client.getBlockNumber({ cacheTime: 0 })
  if (head === 0n) return null
  const blocks = [head, head > BLOCKS_APART ? head - BLOCKS_APART : 0n]
  try {
    const [newer, older] = await Promise.all(
      blocks.map((blockNumber) => client.call({ data: RETURN_PREVRANDAO, blockNumber })),
    )
    if (!newer?.data || !older?.data) return null
    return newer.data !== older.data && BigInt(newer.data) >> LOWER_BITS !== 0n
  } catch (fault) {
    const isSilent = isCausedBy(fault, HttpRequestError) || isCausedBy(fault, TimeoutError)
    if (!(fault instanceof BaseError) || isSilent) throw fault
    return null
  }
}
