import type { Hex } from 'viem'
import type { World } from '../world/world.ts'
import type { Tx } from './chain.ts'

/** The share of histories in which nodes hear of transactions at different times. */
const UNEVEN = 0.5
/** The share of nodes that hear of a transaction late, and of those that hear of it only in a block. */
const LATE = 0.4
const NEVER = 0.15
/** How late. In milliseconds. */
const LATE_MS = [100, 20_000] as const

/** The transactions that wait to be mined, and which nodes know them. */
export class Mempool {
  readonly #waiting = new Map<Hex, Tx>()
  /** From when each node knows a transaction, in true unix milliseconds. All know one that is not here. */
  readonly #knownFrom = new Map<Hex, number[]>()
  readonly #isUneven: boolean
  readonly #nodes: number
  readonly #world: World

  constructor(world: World, nodes: number) {
    this.#world = world
    this.#nodes = nodes
    this.#isUneven = nodes > 1 && world.random.chance('mempools differ', UNEVEN)
  }

  get size(): number {
    return this.#waiting.size
  }

  anyNode(draw: string): number {
    return this.#world.random.between(draw, 0, this.#nodes - 1)
  }

  /** Returns the transactions that any node knows. */
  all(): Tx[] {
    return [...this.#waiting.values()]
  }

  /** Takes a transaction that every node has seen. */
  add(tx: Tx): void {
    this.#waiting.set(tx.hash, tx)
    this.#knownFrom.delete(tx.hash)
  }

  /** Takes a transaction that a node has been sent. The others hear of it from that node. */
  send(tx: Tx, node: number): void {
    const known = this.#knownFrom.get(tx.hash)
    const isNew = !this.#waiting.has(tx.hash)
    this.#waiting.set(tx.hash, tx)
    if (known && !isNew) known[node] = this.#world.scheduler.now
    else if (isNew && this.#isUneven) this.#knownFrom.set(tx.hash, this.#spread(tx.hash, node))
  }

  delete(hash: Hex): void {
    this.#waiting.delete(hash)
    this.#knownFrom.delete(hash)
  }

  /** Returns a transaction that waits, if a node knows it; otherwise null. Once the faults have ended, all nodes do. */
  at(node: number, hash: Hex): Tx | null {
    const knownFrom = this.#knownFrom.get(hash)?.[node] ?? 0
    const isKnown = !this.#world.faults.isOn || knownFrom <= this.#world.scheduler.now
    return isKnown ? (this.#waiting.get(hash) ?? null) : null
  }

  #spread(hash: Hex, first: number): number[] {
    const { random, scheduler } = this.#world
    return Array.from({ length: this.#nodes }, (_, node) => {
      const name = `${hash} from node ${first} at ${node} at ${scheduler.now}`
      if (node === first || !random.chance(`${name} is late`, LATE)) return scheduler.now
      if (random.chance(`${name} never`, NEVER)) return Infinity
      return scheduler.now + random.between(name, ...LATE_MS)
    })
  }
}
