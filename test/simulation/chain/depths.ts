import type { World } from '../world/world.ts'
import type { Block, Tx } from './chain.ts'
import { burnIn, paymentIn } from './payments.ts'

/** What the service waits for. */
export const CONFIRMATIONS = 3
/** The time between blocks, in milliseconds. */
export const BLOCK_MS = 2_000
/** The same once nobody sends anything any more. */
export const IDLE_BLOCK_MS = 6_000
/** How many blocks most reorganisations drop at most. */
const MAX_REORG = 9
/** The share of reorganisations that drop any number of blocks. */
const DEEP = 0.05
/** The share of reorganisations that drop a transaction of the relayer, which it may have seen confirmed. */
const AIMED = 0.8

/**
 * Returns the number of blocks that a reorganisation drops. Most begin with the oldest burn within reach, or else with
 * the oldest transaction of the relayer.
 * @param settled how many blocks are too old to be replaced
 */
export function depthOf(
  { random, faults }: World,
  crossing: string,
  blocks: readonly Block[],
  settled: number,
): number {
  const failed = faults.theme?.isOfRevivals ? failedBeforeBurn(blocks.slice(settled)) : null
  if (failed !== null && random.chance(`${crossing} aims at a burn`, AIMED))
    return blocks.length - failed
  if (random.chance(`${crossing} is deep`, DEEP))
    return random.between(`${crossing} depth`, 1, blocks.length)
  const newest = blocks.slice(-MAX_REORG)
  const first = (isIt: (tx: Tx) => boolean) =>
    newest.find(({ mined }) => mined.some(({ tx }) => isIt(tx)))
  const oldest =
    first(({ call }) => burnIn(call) !== null) ?? first(({ call }) => call.kind === 'relayed')
  if (oldest && random.chance(`${crossing} aims`, AIMED)) return blocks.length - oldest.number
  return random.between(`${crossing} depth`, 1, MAX_REORG)
}

/** Returns the block of the payment that failed before the oldest confirmed burn, or null if no burn is confirmed. */
function failedBeforeBurn(blocks: readonly Block[]): number | null {
  const calls = blocks
    .slice(0, 1 - CONFIRMATIONS)
    .flatMap(({ number, mined }) => mined.map(({ tx: { call } }) => ({ number, call })))
  for (const { call } of calls) {
    const burn = burnIn(call)
    const failed = calls.find((each) => {
      const payment = each.call.kind === 'boxes' ? null : paymentIn(each.call)
      return payment?.player === burn?.player && payment?.nonce === burn?.nonce
    })
    if (burn && failed) return failed.number
  }
  return null
}

/** Has late requests arrive as the deposits and payments of the newest block are confirmed. */
export function planConfirmation({ scheduler, transitions }: World, { mined }: Block): void {
  const has = (kind: Tx['call']['kind']) => mined.some(({ tx }) => tx.call.kind === kind)
  if (!has('deposit') && !has('relayed')) return
  // Payments are many. As rare targets, they would keep others from being chosen.
  const confirmedAt = scheduler.now + (CONFIRMATIONS - 1) * BLOCK_MS
  transitions.plan(Math.round(confirmedAt), has('deposit'))
}
