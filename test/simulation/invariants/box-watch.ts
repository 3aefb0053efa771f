import { batchOf, type BoxState } from '../chain/box-state.ts'
import type { Block } from '../chain/chain.ts'
import { CONFIRMATIONS } from '../chain/depths.ts'
import type { World } from '../world/world.ts'
import { loggedBatches, textOf } from './box-log.ts'

/** What the nodes had from a time on, in true unix milliseconds. */
interface Views {
  from: number
  views: readonly (readonly Block[])[]
}

/** An answer takes less, with the time for which the service keeps it. */
const KEPT_MS = 60_000

/**
 * Watches what the chain's nodes have known of the boxes, and that nothing reaches the public log before it is final.
 */
export class BoxWatch {
  readonly #world: World
  #blocks: readonly Block[] | null = null
  #logVersion = -1
  #past: Views[] = []
  /** What any node could have called confirmed at some time: the ids of boxes, and the log's texts on batches. */
  readonly #final = new Set<bigint | string>()
  readonly #taken = new WeakSet<BoxState>()

  constructor(world: World) {
    this.#world = world
  }

  check(): void {
    const { chain, boxes, scheduler } = this.#world
    if (!chain || !boxes) return
    if (chain.blocks !== this.#blocks) {
      this.#blocks = chain.blocks
      const { now } = scheduler
      const since = now - KEPT_MS
      const recent = this.#past.filter((_, index) => (this.#past[index + 1]?.from ?? now) >= since)
      this.#past = [...recent, { from: now, views: [...chain.nodes] }]
      this.#takeFinal(chain.nodes)
    }
    this.#checkLog()
  }

  /** Returns the latest contracts' states that nodes had at some time from a time until now. */
  statesSince(from: number): BoxState[] {
    const views = this.#past.filter((_, index) => (this.#past[index + 1]?.from ?? Infinity) >= from)
    return views.flatMap(({ views: all }) => all.flatMap((view) => view.at(-1)?.state.boxes ?? []))
  }

  /** Returns whether a purchase has ever had its confirmations. */
  isFinal(boxId: bigint): boolean {
    return this.#final.has(boxId)
  }

  /** The head and an earlier block may come from nodes that differ. */
  #takeFinal(views: readonly (readonly Block[])[]): void {
    const head = Math.max(...views.map((view) => view.length - 1))
    for (const view of views) {
      const last = Math.min(head - (CONFIRMATIONS - 1), view.length - 1)
      const state = view[last]?.state.boxes
      if (!state || this.#taken.has(state)) continue
      this.#taken.add(state)
      for (const boxId of state.sold.keys()) this.#final.add(boxId)
      for (let batch = 1; batch <= state.batches.length; batch++) {
        const { pepperHash, pepper, isEnded } = batchOf(state, batch)
        this.#final.add(`${batch}:open ${pepperHash.slice(2)}`)
        if (isEnded) this.#final.add(`${batch}:closed ${pepper.slice(2)}`)
      }
    }
  }

  #checkLog(): void {
    const disk = this.#world.objects.find('TransparencyLog', 'main')?.disk
    if (!disk || disk.version === this.#logVersion) return
    this.#logVersion = disk.version
    const early = loggedBatches(this.#world)
      .map(textOf)
      .find((text) => !this.#final.has(text))
    if (early !== undefined) this.#world.violate(`the log had batch ${early} before it was final`)
  }
}
