import type { Address } from 'viem'
import { logBatch } from '../../src/calls/log-batch.ts'
import { lastBlockBefore, readBoxEvents, type BoxEvent } from '../../src/chain/box-events.ts'
import { readKinds, readTotals, type BoxKind } from '../../src/chain/boxes.ts'
import { readBlock } from '../../src/chain/logs.ts'
import type { BoxConfig } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load.ts'
import { invariant } from '../../src/core/invariant.ts'
import { boxRow, KEY_OF, type StoredBox } from '../../src/exports/rows.ts'
import { logFault } from '../../src/log.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Kernel, Part } from '../kernel/kernel.ts'
import { BoxStore, type BoxesRead } from './box-store.ts'
import type { Job, Page, Source } from './source.ts'

/** One page reads at most this many ranges of logs, and no further range after this many events. */
const RANGES = 20
const EVENTS = 1_000

const BOXES = 500

/** The cursor once the chain has been read; until then it is the block to read up to. */
const READ = 'read'

/** The cursor once all boxes of the former contract are exported, and the configured one is next. */
const NEXT = 'next'

/**
 * Boxes of batches that have ended, from the chain: their pepper is published, so anyone can recompute them. Only
 * confirmed blocks from before the end of the day are read, each once. If the node doesn't answer, the remaining boxes
 * go into the next day's file. If another contract is configured, the former one is first read until none of its boxes
 * waits any longer.
 */
export class Boxes implements Part, Source {
  readonly dataset = 'boxes'
  readonly #store: BoxStore
  readonly #env: Env
  readonly #clock: Clock
  readonly #object: string

  constructor(sql: SqlStorage, env: Env, { clock, owner }: Kernel) {
    this.#object = owner.object
    this.#store = new BoxStore(sql)
    this.#env = env
    this.#clock = clock
  }

  get migration() {
    return this.#store.migration
  }

  async page({ before }: Job, cursor: string): Promise<Page> {
    const { boxes: configured } = loadConfig(this.#env)
    if (!configured) return { rows: [], cursor: null }
    const boxes = this.#reading(configured)
    try {
      if (cursor !== READ) return await this.#read(boxes, before, cursor)
      const page = await this.#rows(boxes)
      return page.cursor === null && boxes !== configured ? this.#switch() : page
    } catch (fault) {
      logFault('export_boxes_failed', fault, { object: this.#object })
      return { rows: [], cursor: null }
    }
  }

  /** Returns the contract to read: the former one until its boxes are exported. The node has no other chain. */
  #reading(configured: BoxConfig): BoxConfig {
    const read = this.#store.read()
    if (!read || read.contract === nameOf(configured)) return configured
    const [chainId, contract] = read.contract.split(':')
    if (Number(chainId) !== configured.chainId) return configured
    return { ...configured, contract: contract as Address }
  }

  /** Goes on to the configured contract, unless boxes of the former one still wait for the end of their batch. */
  #switch(): Page {
    invariant(!this.#store.hasWaiting(), 'the last batch of the former box contract has ended')
    return { rows: [], cursor: NEXT, keep: () => this.#store.clear() }
  }

  /** Reads the next blocks. */
  async #read(boxes: BoxConfig, before: number, cursor: string): Promise<Page> {
    const from = this.#readSoFar(boxes)
    const isStart = cursor === '' || cursor === NEXT
    const last = isStart ? await lastBlockBefore(boxes, before, from.block) : Number(cursor)
    const events: BoxEvent[] = []
    let { block } = from
    for (let range = 0; range < RANGES && events.length < EVENTS && block < last; range++) {
      const to = Math.min(last, block + boxes.logRange)
      events.push(...(await readBoxEvents(boxes, block + 1, to)))
      block = to
    }
    const endedAt = await this.#endsOf(boxes, events)
    this.#expectKnownBatches(from, events)
    const promised = await this.#promised(boxes, from, events)
    const read = await this.#compared(boxes, { ...from, block, promised }, events)
    return {
      rows: [],
      cursor: block < last ? String(last) : READ,
      keep: () => this.#store.take(read, events, endedAt),
    }
  }

  /** Returns how far a contract has been read. Another contract is read from its start. */
  #readSoFar(boxes: BoxConfig): BoxesRead {
    const contract = nameOf(boxes)
    const read = this.#store.read()
    if (read?.contract === contract) return read
    return { contract, block: boxes.startBlock - 1, sold: 0, promised: '0', isWhole: 1 }
  }

  /** Returns the times of the batches' ends among some events, by their blocks' timestamps. */
  async #endsOf(boxes: BoxConfig, events: readonly BoxEvent[]): Promise<Map<number, number>> {
    const ended = new Map<number, number>()
    for (const event of events) {
      if (event.kind !== 'batch-ended') continue
      const block = await readBlock(boxes, event.block)
      invariant(block, `the node has block ${event.block}`)
      ended.set(event.batch, block.at)
    }
    return ended
  }

  #expectKnownBatches({ contract }: BoxesRead, events: readonly BoxEvent[]): void {
    const known = new Set(this.#store.batches(contract).keys())
    for (const event of events) {
      if (event.kind === 'batch-opened') known.add(event.batch)
      if (event.kind !== 'bought') continue
      invariant(known.has(event.batch), 'BOX_NFT_START_BLOCK is the block of the deployment')
    }
  }

  /**
   * Returns the sum of all boxes' prizes after some events; null if they were not all counted from the start. If an
   * earlier page may lack a purchase, reading this one again would not help.
   */
  async #promised(
    boxes: BoxConfig,
    { promised, isWhole }: BoxesRead,
    events: readonly BoxEvent[],
  ): Promise<string | null> {
    const isSame = events.every(({ kind }) => kind !== 'bought' && kind !== 'opened')
    if (promised === null || isSame) return promised
    const kinds = await readKinds(boxes)
    const bought = new Map<bigint, number>()
    let sum = BigInt(promised)
    for (const event of events) {
      if (event.kind === 'bought') {
        bought.set(event.boxId, event.boxKind)
        sum += topPrizeOf(kinds, event.boxKind)
      } else if (event.kind === 'opened') {
        const kind = bought.get(event.boxId) ?? this.#store.kindOf(event.boxId)
        if (kind === null) {
          const fault = new Error(`a node has left out the purchase of box ${event.boxId}`)
          if (isWhole) throw fault
          logFault('export_boxes_failed', fault, { object: this.#object })
          return null
        }
        sum += event.prize - topPrizeOf(kinds, kind)
      }
    }
    return sum.toString()
  }

  /**
   * Compares the events up to a block with the contract's count, because a node may leave out some of them. A node
   * without the state of that block can't tell. If an earlier page may lack some, reading this one again would not
   * help.
   * @param read how far the contract was read before, with this page's block and sum
   */
  async #compared(
    boxes: BoxConfig,
    read: BoxesRead,
    events: readonly BoxEvent[],
  ): Promise<BoxesRead> {
    const { contract, block, promised } = read
    const totals = await readTotals(boxes, block)
    if (!totals) return { ...read, isWhole: null }
    const batches = this.#store.batches(contract)
    for (const event of events) {
      if (event.kind === 'batch-opened') batches.set(event.batch, false)
      if (event.kind === 'batch-ended') batches.set(event.batch, true)
    }
    const latest = Math.max(0, ...batches.keys())
    const hasBatches = latest === totals.batch && (batches.get(latest) ?? false) === totals.isEnded
    const hasBoxes = promised === null || BigInt(promised) === totals.promised
    if (hasBatches && hasBoxes) return { ...read, isWhole: 1 }
    const fault = new Error(`a node has left out events of the box contract up to block ${block}`)
    if (read.isWhole) throw fault
    logFault('export_boxes_failed', fault, { object: this.#object })
    return { ...read, promised: null, isWhole: null }
  }

  /** Returns the boxes that can be recomputed by now, and forgets them once they are stored. */
  async #rows(boxes: BoxConfig): Promise<Page> {
    const found = this.#store.ended(BOXES)
    if (found.length === 0) return { rows: [], cursor: null }
    const kinds = await readKinds(boxes)
    await this.#log(boxes, found)
    const rows = found.map((box) => {
      const tiers = kinds[box.kind]?.tiers
      invariant(tiers, `the contract has kind ${box.kind}`)
      const row = boxRow(boxes, box, tiers)
      return { key: KEY_OF.boxes(row), line: JSON.stringify(row) }
    })
    return {
      rows,
      cursor: READ,
      keep: () => this.#store.remove(found),
    }
  }

  /** Makes sure that the public log has the batches of some boxes before the export has the boxes. */
  async #log({ chainId, contract }: BoxConfig, boxes: readonly StoredBox[]): Promise<void> {
    if (!loadConfig(this.#env).log) return
    const now = this.#clock.now()
    const batches = new Map(boxes.map((box) => [box.batch, box]))
    for (const { batch, pepperHash, pepper } of batches.values()) {
      await logBatch(this.#env, { chainId, contract, batch, pepperHash, pepper }, now)
    }
  }
}

/** Returns how a contract is named in the store. */
function nameOf({ chainId, contract }: BoxConfig): string {
  return `${chainId}:${contract}`
}

function topPrizeOf(kinds: readonly BoxKind[], kind: number): bigint {
  const topPrize = kinds[kind]?.topPrize
  invariant(topPrize !== undefined, `the node has kind ${kind}`)
  return topPrize
}
