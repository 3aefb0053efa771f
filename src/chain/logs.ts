import {
  BaseError,
  BlockNotFoundError,
  formatLog,
  hexToNumber,
  HttpRequestError,
  isAddressEqual,
  numberToHex,
  TimeoutError,
  type Address,
  type Hash,
  type Hex,
  type Log,
  type RpcTransactionReceipt,
} from 'viem'
import type { ChainConfig } from '../config/config.ts'
import {
  askOneNode,
  chainClient,
  confirmedBelow,
  isTooLong,
  orNull,
  type ChainNode,
} from './client.ts'

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

/** The maximum number of items in a batch. A node that refuses a batch gets one of a quarter of its size. */
const MAX_IN_BATCH = 48
const SMALLER = 4

/**
 * Asks about some items in batches, in order. Asks once if there are none.
 * @throws if the node doesn't answer about a single item
 */
async function* inBatches<T, A>(
  items: readonly T[],
  ask: (some: readonly T[]) => Promise<A>,
): AsyncGenerator<{ some: readonly T[]; answer: A }> {
  let most = MAX_IN_BATCH
  let asked = 0
  do {
    const some = items.slice(asked, asked + most)
    try {
      yield { some, answer: await ask(some) }
      asked += some.length
    } catch (fault) {
      if (some.length <= 1) throw fault
      most = Math.ceil(some.length / SMALLER)
    }
  } while (asked < items.length)
}

/**
 * Reads some blocks from a node that has both the end of a range and enough confirmations of it: the head of another
 * branch could confirm a block that its branch lacks.
 * @param numbers of the blocks, up to the end
 * @returns null for a block that the node lacks; null instead of all if it lacks the end, or its confirmations; the
 *   lowest blocks alone if it answers no more calls
 * @throws if the node doesn't answer at all
 */
export async function readConfirmedBlocks(
  chain: ChainConfig,
  end: Block,
  numbers: readonly number[],
): Promise<Map<number, Block | null> | null> {
  const wanted = [...new Set(numbers)].toSorted((a, b) => a - b)
  const blocks = new Map<number, Block | null>()
  try {
    for await (const { some, answer } of inBatches(wanted, (each) => blocksOf(chain, end, each))) {
      if (!answer) return null
      for (const [at, number] of some.entries()) blocks.set(number, answer[at] ?? null)
    }
  } catch (fault) {
    if (blocks.size === 0) throw fault
  }
  return blocks
}

/** Asks in one batch. The head comes first, in case the node changes its branch between the calls. */
async function blocksOf(
  chain: ChainConfig,
  end: Block,
  numbers: readonly number[],
): Promise<(Block | null)[] | null> {
  const asked = [end.number, ...numbers]
  const [head, ...answers] = await askOneNode(chain, [
    { method: 'eth_blockNumber', params: [] },
    ...asked.map((number) => ({
      method: 'eth_getBlockByNumber',
      params: [numberToHex(number), false],
    })),
  ])
  const [there, ...blocks] = asked.map((number, at) => {
    const answer = answers[at] as { hash: Hash; timestamp: Hex } | null
    return answer && { number, hash: answer.hash, at: hexToNumber(answer.timestamp) * 1_000 }
  })
  const isConfirmed = end.number <= confirmedBelow(hexToNumber(head as Hex), chain)
  return isConfirmed && there?.hash === end.hash ? blocks : null
}

/** A part of a range of blocks, to its last block, with the logs read from it. */
export interface RangePart<L> {
  to: number
  logs: L[]
}

/**
 * Reads the logs of a range of blocks, in order and in as few parts as the node allows. Halves a range if the node
 * refuses it as too long or too full, or if its answer is longer than we accept.
 * @param read reads a range from its first to its last block
 * @throws if the node doesn't answer
 */
export async function* readInParts<L>(
  from: number,
  to: number,
  read: (from: bigint, to: bigint) => Promise<L[]>,
): AsyncGenerator<RangePart<L>> {
  const logs = await read(BigInt(from), BigInt(to)).catch((fault: unknown) => {
    if (from === to || !isRefused(fault)) throw fault
    return null
  })
  if (logs) return yield { to, logs }
  const middle = Math.floor((from + to) / 2)
  yield* readInParts(from, middle, read)
  yield* readInParts(middle + 1, to, read)
}

/** Reads all of these parts. @throws if the node doesn't answer */
export async function readInHalves<L>(
  from: number,
  to: number,
  read: (from: bigint, to: bigint) => Promise<L[]>,
): Promise<L[]> {
  const logs: L[] = []
  for await (const part of readInParts(from, to, read)) {
    for (const log of part.logs) logs.push(log)
  }
  return logs
}

/**
 * Reads a contract's logs of one block from the receipts of the block's transactions, for a node that doesn't return
 * them at once.
 * @throws if the node doesn't answer, or has no receipt of one of the transactions in that block
 */
export async function readLogsOfReceipts(
  node: ChainNode,
  address: Address,
  blockNumber: bigint,
): Promise<Log<bigint, number, false>[]> {
  const { hash, transactions } = await chainClient(node).getBlock({ blockNumber })
  // Nodes answer an empty batch with an error.
  if (transactions.length === 0) return []
  const logs: Log<bigint, number, false>[] = []
  const receiptsOf = (hashes: readonly Hash[]) =>
    askOneNode(
      node,
      hashes.map((each) => ({ method: 'eth_getTransactionReceipt', params: [each] })),
    )
  for await (const { answer } of inBatches(transactions, receiptsOf)) {
    for (const receipt of answer as (RpcTransactionReceipt | null)[]) {
      if (receipt?.blockHash !== hash) throw new Error('the node lacks a receipt of the block')
      const own = receipt.logs.filter((log) => isAddressEqual(log.address, address))
      for (const log of own) logs.push(formatLog(log) as Log<bigint, number, false>)
    }
  }
  return logs
}

/**
 * Returns whether the node, or our client, refused an answer of this size, as opposed to the node being down or slow.
 */
function isRefused(fault: unknown): boolean {
  if (!(fault instanceof BaseError)) return false
  if (isTooLong(fault)) return true
  const isSilent = (cause: unknown) =>
    cause instanceof TimeoutError || (cause instanceof HttpRequestError && cause.status !== 413)
  return fault.walk(isSilent) === null
}
