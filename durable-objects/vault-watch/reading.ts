import { readBlock, readConfirmedBlocks, type Block, type RangePart } from '../../src/chain/logs.ts'
import { MAX_LOGS, readVaultEvents, readVaultTotals } from '../../src/chain/vault-events.ts'
import type { VaultConfig } from '../../src/config/config.ts'
import type { PerToken } from '../../src/money/token.ts'
import type { VaultEvent, VaultTotals } from '../../src/vault/events.ts'
import { differenceOf, placeOf, sortAbsent, type AbsentEvents, type Difference } from './absent.ts'
import type { LogRange } from './log-range.ts'
import type { VaultWatchStore } from './store.ts'

/** One pass reads at most this many ranges of events from the node. */
const MAX_RANGES = 20
/** One pass asks for at most this many blocks of new or missing events. */
const MAX_ASKED = 480

/** Blocks that were read, and how their events differ from the kept ones. */
interface RangeReading extends AbsentEvents {
  /** The last of the blocks. */
  last: Block
  /** Excludes transactions whose events the node returned only in part. */
  events: VaultEvent[]
  /** The totals after that block, by the contract; null if the node need not keep the state of a block of that age. */
  counted: PerToken<VaultTotals> | null
}

/**
 * Reads the events of the blocks from one up to the newest, or up to an earlier block if they are too many at once.
 * @param range shrinks if the node doesn't return the events, and grows if it returns those of a whole range
 * @returns null if the node doesn't have the last block, or its confirmations, before and after the events are read, or
 *   has other blocks in place of those of the events: several nodes may differ
 * @throws if the node doesn't answer
 */
export async function readOn(
  vault: VaultConfig,
  store: VaultWatchStore,
  from: number,
  newest: number,
  range: LogRange,
): Promise<RangeReading | null> {
  const highest = from - 1 + vault.logRange * MAX_RANGES
  const blocksAtOnce = range.atMost(vault.logRange)
  const readable = from - 1 + blocksAtOnce * MAX_RANGES
  const to = Math.min(newest, readable, store.blockAfter(from - 1, MAX_LOGS) ?? newest)
  // Read before the block's events and again after them, in case the chain replaces it in between.
  const end = await readBlock(vault, to)
  if (!end) return null
  const whole = await readVaultEvents(vault, from, to, blocksAtOnce).catch((fault: unknown) => {
    range.shrink(Math.min(blocksAtOnce, to - from + 1))
    throw fault
  })
  if (whole.to === to && to - from + 1 >= blocksAtOnce) range.grow()
  const compared = { ...whole, ...differenceOf(store.between(from - 1, whole.to), whole.logs) }
  const wanted = upTo(compared, blocksIn(compared)[MAX_ASKED - 1] ?? whole.to)
  // Asked at the same time, because readers wait for this look.
  const counting = newest <= highest && wanted.to === to ? readVaultTotals(vault, end.hash) : null
  counting?.catch(() => {})
  const asked = [...blocksIn(wanted), ...(wanted.to === to ? [] : [wanted.to])]
  const blocks = await readConfirmedBlocks(vault, end, asked)
  if (!blocks) return null
  const areAll = asked.every((block) => blocks.has(block))
  const read = areAll ? wanted : upTo(wanted, Math.max(...blocks.keys()))
  const last = read.to === to ? end : blocks.get(read.to)
  // The node that had the events may have been left behind on a branch that the chain has abandoned.
  const isOther = ({ block, blockHash }: VaultEvent) => blocks.get(block)?.hash !== blockHash
  if (!last || read.fresh.some(isOther)) return null
  const kept = () => store.between(from - 1, last.number)
  const found = withKept(kept, read.logs, sortAbsent(read.absent, blocks))
  if (last.number === newest) return { last, ...found, counted: await counting }
  const older = last === end || newest > highest ? counting : readVaultTotals(vault, last.hash)
  return { last, ...found, counted: (await older?.catch(() => null)) ?? null }
}

interface Compared extends RangePart<VaultEvent>, Difference {}

/** Returns the blocks of new or missing events, in order. */
function blocksIn({ fresh, absent }: Compared): number[] {
  return [...new Set([...fresh, ...absent].map(({ block }) => block))].toSorted((a, b) => a - b)
}

/** Returns the part of a reading up to a block. */
function upTo({ logs: events, fresh, absent }: Compared, to: number): Compared {
  const isRead = ({ block }: VaultEvent) => block <= to
  return {
    to,
    logs: events.filter(isRead),
    fresh: fresh.filter(isRead),
    absent: absent.filter(isRead),
  }
}

/**
 * Compares the events that were read with the kept ones. If a node left out one of a transaction's events, the
 * transaction's kept events count instead of those read: in the reading, later events have moved up into the places of
 * earlier ones, and would be counted twice.
 */
function withKept(
  kept: () => Iterable<VaultEvent>,
  read: readonly VaultEvent[],
  { vanished, omitted }: AbsentEvents,
): AbsentEvents & { events: VaultEvent[] } {
  if (omitted.length === 0) return { events: [...read], vanished, omitted }
  const partial = new Set(omitted.map(({ txHash }) => txHash))
  const isPartial = ({ txHash }: VaultEvent) => partial.has(txHash)
  const gone = new Set(vanished.map(placeOf))
  return {
    events: read.filter((event) => !isPartial(event)),
    vanished,
    omitted: [...kept()].filter((event) => isPartial(event) && !gone.has(placeOf(event))),
  }
}
