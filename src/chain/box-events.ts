import { getAbiItem, type Address } from 'viem'
import type { BoxConfig } from '../config/config.ts'
import { invariant } from '../core/invariant.ts'
import { boxNftAbi } from './abi.ts'
import { chainClient, confirmedHead } from './client.ts'
import { readBlock, readInHalves } from './logs.ts'

/** The transaction of an event, and its block's number. */
interface BoxPlace {
  block: number
  txHash: string
}

/** An event that determines boxes' contents. `prize` is in the reward token's smallest unit. */
export type BoxEvent = BoxPlace &
  (
    | { kind: 'batch-opened'; batch: number; pepperHash: string }
    | { kind: 'bought'; boxId: bigint; buyer: Address; boxKind: number; batch: number }
    | { kind: 'opened'; boxId: bigint; tier: number; prize: bigint }
    | { kind: 'batch-ended'; batch: number; pepper: string }
  )

const EVENTS = [
  getAbiItem({ abi: boxNftAbi, name: 'BatchOpened' }),
  getAbiItem({ abi: boxNftAbi, name: 'Bought' }),
  getAbiItem({ abi: boxNftAbi, name: 'Opened' }),
  getAbiItem({ abi: boxNftAbi, name: 'BatchEnded' }),
]

/**
 * Reads the events of all boxes in a range of blocks, in order.
 * @throws if the node doesn't answer
 */
export async function readBoxEvents(
  boxes: BoxConfig,
  from: number,
  to: number,
): Promise<BoxEvent[]> {
  const events = await readInHalves(from, to, (fromBlock, toBlock) =>
    chainClient(boxes).getLogs({
      address: boxes.contract,
      events: EVENTS,
      strict: true,
      fromBlock,
      toBlock,
    }),
  )
  return events
    .filter(({ removed }) => !removed)
    .map((event): BoxEvent => {
      const place = { block: Number(event.blockNumber), txHash: event.transactionHash }
      switch (event.eventName) {
        case 'BatchOpened': {
          const { batch, pepperHash } = event.args
          const opened = { batch: Number(batch), pepperHash: pepperHash.slice(2) }
          return { ...place, kind: 'batch-opened', ...opened }
        }
        case 'Bought': {
          const { boxId, buyer, kind, batch } = event.args
          const bought = { boxId, buyer, boxKind: Number(kind), batch: Number(batch) }
          return { ...place, kind: 'bought', ...bought }
        }
        case 'Opened': {
          const { boxId, tier, prize } = event.args
          return { ...place, kind: 'opened', boxId, tier: Number(tier), prize }
        }
        case 'BatchEnded': {
          const { batch, pepper } = event.args
          return { ...place, kind: 'batch-ended', batch: Number(batch), pepper: pepper.slice(2) }
        }
      }
    })
}

/**
 * Returns the number of the last block before a time that has its confirmations.
 * @param before in unix milliseconds, against the chain's own timestamps
 * @param from a block that is known to be earlier; returned if none after it is
 * @throws if the node doesn't answer, or lacks a block
 */
export async function lastBlockBefore(
  boxes: BoxConfig,
  before: number,
  from: number,
): Promise<number> {
  const final = await confirmedHead(boxes)
  let [low, high] = [from, Math.max(from, final)]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const block = await readBlock(boxes, middle)
    invariant(block, `the node has block ${middle}`)
    if (block.at < before) low = middle
    else high = middle - 1
  }
  return low
}
