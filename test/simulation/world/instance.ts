import type { Disk } from './disk.ts'
import type { Fault } from './faults.ts'
import type { Isolate, LiveObject, Process } from './isolates.ts'
import type { Place } from './objects.ts'
import type { Host } from './scheduler.ts'
import type { Sockets } from './sockets.ts'
import { storageOf } from './storage.ts'

/** How a call ended for its caller. */
export type Outcome =
  | { kind: 'answered'; value: unknown }
  | { kind: 'failed'; error: unknown }
  | { kind: 'broken' }

/** A call that an instance carries out. */
export interface Running {
  method: string
  args: unknown[]
  /** What happens to the instance during the call. */
  fault: Fault | null
  end: (outcome: Outcome) => void
}

/** Confirming writes takes up to this long. In milliseconds. */
const CONFIRM_MS = 8
/** An evicted object leaves the memory up to this long after its last answer. */
const EVICT_WITHIN_MS = 2_000
const EVICT_SOON_MS = 20
/** A full disk takes up to this many more writes. */
const MAX_ROOM = 4
/** A disk stays full until the call has ended, and at most this long: another object may answer the call late. */
const FULL_MS = 2_000
/** The longest that an old instance runs beside its successor. */
const RUNS_ON_MS = 20_000

/**
 * One instance of an object in memory. Its writes are confirmed a little later, all at once; nothing that
 * it says leaves before (the output gate). Nothing reaches it before its constructor has finished.
 */
export class Instance implements Host {
  readonly name: string
  readonly kind: string
  readonly process: Process
  isAlive = true
  /** Whether a successor has taken over: no write is ever confirmed again. */
  isOld = false
  readonly #place: Place
  readonly #isolate: Isolate
  readonly #calls = new Set<Running>()
  readonly #sockets: Sockets
  #disk: Disk
  #object: LiveObject | null = null
  #ready: Promise<unknown> = Promise.resolve()
  #waiting: (() => void)[] = []
  #confirms = 0
  /** Whether its constructor has failed. */
  #isBroken = false

  constructor(place: Place, disk: Disk, isolate: Isolate, start: number) {
    this.#place = place
    this.#sockets = place.sockets
    this.#disk = disk
    this.#isolate = isolate
    this.kind = place.className
    this.name = start === 1 ? place.path : `${place.path}(${start})`
    this.process = isolate.process
    disk.onDirty = () => this.#planConfirm(disk)
  }

  get isBusy(): boolean {
    return this.#calls.size > 0
  }

  /** Runs the object's constructor. A throw reaches the object's callers. */
  construct(): void {
    const { scheduler } = this.#place.world
    const before = scheduler.current
    scheduler.current = this
    try {
      const Class = this.#isolate.exports[this.#place.className]
      if (!Class) throw new Error(`the Worker exports no ${this.#place.className}`)
      this.#object = new Class(this.#context(), this.#isolate.env)
    } catch (fault) {
      this.#block(Promise.reject(fault))
    } finally {
      scheduler.current = before
    }
  }

  /** Carries out a call. Call it within an event of this instance. */
  run(call: Running): void {
    this.#calls.add(call)
    if (call.fault === 'full') {
      const { random, scheduler } = this.#place.world
      const disk = this.#disk
      disk.room = random.between(`room of ${this.name} ${scheduler.events}`, 0, MAX_ROOM)
      scheduler.after(FULL_MS, `room on ${this.#place.path}`, null, () => (disk.room = Infinity))
    }
    void this.#carryOut(call)
  }

  whenConfirmed(run: () => void): void {
    if (this.#disk.isDirty) this.#waiting.push(run)
    else run()
  }

  /** Ends it: its callers' connections break, and its code never continues. */
  die(): void {
    this.isAlive = false
    this.#disk.room = Infinity
    this.#waiting = []
    this.#disk.onDirty = () => {}
    this.#breakCalls()
  }

  /** Runs on as an old instance, on a disk of its own that is never confirmed. */
  runOn(disk: Disk): void {
    this.isOld = true
    this.#disk.onDirty = () => {}
    this.#disk.room = Infinity
    if (this.#disk.isDirty) disk.touch()
    this.#disk = disk
    this.#breakCalls()
    const { scheduler, random } = this.#place.world
    const restMs = random.between(`${this.name} runs on`, 100, RUNS_ON_MS)
    scheduler.after(restMs, `end of old ${this.name}`, null, () => {
      this.die()
      this.#sockets.break()
    })
  }

  /** Holds back all calls until some work has ended. If it fails, the runtime discards the instance. */
  #block(work: Promise<unknown>): void {
    this.#ready = Promise.all([this.#ready, work])
    this.#ready.catch(() => (this.#isBroken = true))
  }

  async #carryOut(call: Running): Promise<void> {
    const outcome = await this.#outcomeOf(call)
    if (!this.isAlive || !this.#calls.has(call)) return
    this.whenConfirmed(() => this.#answer(call, outcome))
  }

  async #outcomeOf({ method, args }: Running): Promise<Outcome> {
    try {
      await this.#ready
      const object = this.#object
      const run = object?.[method]
      if (!run) throw new TypeError(`${this.kind} has no method ${method}`)
      return { kind: 'answered', value: await run.apply(object, args) }
    } catch (error) {
      return { kind: 'failed', error }
    }
  }

  #answer(call: Running, outcome: Outcome): void {
    if (call.fault === 'killed-before-commit' || call.fault === 'killed-after-commit') {
      this.#place.world.tell(() => `${this.name} dies before it answers ${call.method}`)
      return this.#place.kill()
    }
    this.#calls.delete(call)
    if (call.fault === 'full') this.#disk.room = Infinity
    call.end(outcome)
    if (this.#isBroken) this.#place.kill()
    if (call.fault === 'evicted') this.#planEviction()
    if (call.fault === 'split') {
      this.#place.world.tell(() => `a new ${this.kind} takes over while ${this.name} runs on`)
      this.#place.split()
    }
  }

  #planEviction(): void {
    const { scheduler, random } = this.#place.world
    const name = `${this.name} eviction ${scheduler.events}`
    const isSoon = random.chance(`${name} soon`, 0.5)
    const delayMs = random.between(name, 0, isSoon ? EVICT_SOON_MS : EVICT_WITHIN_MS)
    scheduler.after(delayMs, `eviction of ${this.name}`, this, () => {
      if (this.#place.instance !== this || !this.#place.evict()) return
      this.#place.world.tell(() => `${this.name} is evicted`)
    })
  }

  #planConfirm(disk: Disk): void {
    const { scheduler, random } = this.#place.world
    const delayMs = random.between(`${this.name} confirms ${this.#confirms++}`, 0, CONFIRM_MS)
    scheduler.after(delayMs, `confirm ${this.#place.path}`, this, () => {
      if (!this.isOld && this.#disk === disk) this.#confirm()
    })
  }

  /** Confirms all writes, unless a call's fault has it die before or right after. */
  #confirm(): void {
    if (this.#isDoomed('killed-before-commit')) {
      this.#place.world.tell(() => `${this.name} dies before its writes are confirmed`)
      return this.#place.kill()
    }
    this.#disk.confirm()
    this.#place.alarms.confirm()
    if (this.#isDoomed('killed-after-commit')) {
      this.#place.world.tell(() => `${this.name} dies after its writes are confirmed`)
      return this.#place.kill()
    }
    const waiting = this.#waiting
    this.#waiting = []
    for (const run of waiting) run()
  }

  #isDoomed(fault: Fault): boolean {
    return [...this.#calls].some((call) => call.fault === fault)
  }

  #breakCalls(): void {
    const calls = [...this.#calls]
    this.#calls.clear()
    for (const { end } of calls) end({ kind: 'broken' })
  }

  /** Returns the object's `ctx`. */
  #context(): object {
    const { name } = this.#place
    return {
      id: { name, toString: () => name },
      storage: storageOf(() => this.#disk, this.#place.alarms),
      waitUntil: (work: Promise<unknown>) => void work.catch(() => {}),
      blockConcurrencyWhile: (work: () => Promise<unknown>) => {
        const done = work()
        this.#block(done)
        return done
      },
      ...this.#sockets.context(),
    }
  }
}
