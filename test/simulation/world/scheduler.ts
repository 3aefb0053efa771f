import type { Process } from './isolates.ts'

/** Something that code runs in: an instance of an object, or a request in the router. */
export interface Host {
  /** For the story, such as `Ledger/0xf39F…`. */
  readonly name: string
  /** For the coverage table, such as `Ledger`. */
  readonly kind: string
  /** Whether its code still runs. The events of a dead host are dropped. */
  readonly isAlive: boolean
  /** The process whose code it runs. */
  readonly process: Process
  /** Runs something once all writes made so far are confirmed: the output gate. */
  whenConfirmed(run: () => void): void
}

/** Something that will happen, unless it is called off. */
export interface Planned {
  isOff: boolean
}

interface Event extends Planned {
  at: number
  order: number
  name: string
  host: Host | null
  run: () => void
}

/** After this many events the process's own event loop gets a turn. */
const EVENTS_A_TURN = 512

/**
 * The only source of order and time. Everything that happens is an event with a time; all code that
 * follows from an event without waiting for another one runs to its end before the next event.
 */
export class Scheduler {
  /** True time, in unix milliseconds. */
  now: number
  /** The number of events so far. */
  events = 0
  /** A hash of everything that has happened: equal for equal histories. */
  trace = 0
  #current: Host | null = null
  readonly #heap: Event[] = []
  #order = 0

  constructor(now: number) {
    this.now = now
  }

  /** The host whose code is running, or null for the world outside the service. */
  get current(): Host | null {
    return this.#current
  }

  set current(host: Host | null) {
    this.#current = host
    host?.process.program.enter(host.process)
  }

  /** Plans an event. It is dropped if its host has died by then. */
  after(delayMs: number, name: string, host: Host | null, run: () => void): Planned {
    const at = this.now + Math.max(0, Math.round(delayMs))
    const event = { at, order: this.#order++, name, host, run, isOff: false }
    push(this.#heap, event)
    return event
  }

  /** Waits in the world outside. */
  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, 'sleep', null, resolve))
  }

  /** Adds a fact to the trace. */
  note(fact: string): void {
    let hash = this.trace
    for (let at = 0; at < fact.length; at++) {
      hash = Math.imul(hash ^ fact.charCodeAt(at), 0x01000193)
    }
    this.trace = hash
  }

  /**
   * Runs all events up to a time.
   * @param then runs after each event and all that follows from it
   * @param isOver ends the run early
   */
  async run(until: number, then: () => void, isOver: () => boolean = () => false): Promise<void> {
    // What was begun before the run plans its first events now, not after the next of those planned already.
    await settled()
    for (let first = this.#heap[0]; first && first.at <= until; first = this.#heap[0]) {
      if (isOver()) return
      pop(this.#heap)
      if (first.isOff || (first.host && !first.host.isAlive)) continue
      this.now = Math.max(this.now, first.at)
      this.events++
      this.note(first.name)
      this.trace = Math.imul(this.trace ^ (this.now % 1e9), 0x01000193)
      this.current = first.host
      first.run()
      await settled()
      this.current = null
      then()
      if (this.events % EVENTS_A_TURN === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    this.now = Math.max(this.now, until)
  }
}

/** Resolves once no microtask is left: Node then runs the callbacks that a microtask has left for the next tick. */
async function settled(): Promise<void> {
  // Outside of a microtask, such as at the first event, a tick would come before all microtasks.
  await Promise.resolve()
  await new Promise<void>((resolve) => process.nextTick(resolve))
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}

/** Adds to a binary heap. */
function push(heap: Event[], event: Event): void {
  let at = heap.length
  while (at > 0) {
    const parent = (at - 1) >> 1
    const above = heap[parent]
    if (!above || isBefore(above, event)) break
    heap[at] = above
    at = parent
  }
  heap[at] = event
}

/** Removes the first of a binary heap. */
function pop(heap: Event[]): void {
  const last = heap.pop()
  if (!last || heap.length === 0) return
  let at = 0
  for (;;) {
    let child = 2 * at + 1
    const [left, right] = [heap[child], heap[child + 1]]
    if (!left) break
    const isRight = right !== undefined && isBefore(right, left)
    if (isRight) child++
    const smaller = isRight ? right : left
    if (isBefore(last, smaller)) break
    heap[at] = smaller
    at = child
  }
  heap[at] = last
}
