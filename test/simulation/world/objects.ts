import { AlarmManager } from './alarms.ts'
import { Disk } from './disk.ts'
import { Instance } from './instance.ts'
import type { Isolate } from './isolates.ts'
import { Sockets } from './sockets.ts'
import type { World } from './world.ts'

/** A Durable Object: its disk outlives the instances that run its code. */
export class Place {
  readonly world: World
  readonly className: string
  readonly name: string
  readonly disk: Disk
  readonly alarms: AlarmManager
  sockets = this.#withoutSockets()
  /** The instance that receives calls, or null while the object is not in memory. */
  instance: Instance | null = null
  isolate: Isolate
  /** Late requests that arrive right after the next one of the same caller. */
  #overtaken: { caller: string; arrive: () => void }[] = []
  /** What old instances write to. */
  readonly #copies: Disk[] = []
  #starts = 0

  constructor(world: World, className: string, name: string) {
    this.world = world
    this.className = className
    this.name = name
    this.disk = new Disk(this.path, world.random)
    this.disk.onChange = () => world.changes++
    this.isolate = this.#place()
    this.alarms = new AlarmManager(this)
  }

  /** Names it in the story and the trace. */
  get path(): string {
    return `${this.className}/${this.name}`
  }

  /** Returns the instance in memory, starting one if there is none. */
  start(): Instance {
    if (this.instance) return this.instance
    if (this.#starts > 0) this.isolate = this.#place()
    // The one before it may have died in the middle of a turn, and written on until its end.
    this.disk.lose()
    this.#starts++
    this.instance = new Instance(this, this.disk, this.isolate, this.#starts)
    this.instance.construct()
    return this.instance
  }

  /** Keeps a late request back until another one of the same caller has arrived. */
  keepBack(caller: string, arrive: () => void): void {
    this.#overtaken.push({ caller, arrive })
  }

  /** Lets the requests arrive that a caller's request has overtaken. */
  letFollow(caller: string): void {
    const due = this.#overtaken.filter((late) => late.caller === caller)
    this.#overtaken = this.#overtaken.filter((late) => late.caller !== caller)
    for (const { arrive } of due) arrive()
  }

  /** Ends the instance in memory at once; unconfirmed writes are lost. */
  kill(): void {
    this.#loseSockets().break()
    const { instance } = this
    if (!instance) return
    this.instance = null
    instance.die()
    this.disk.lose()
    this.alarms.forget()
  }

  /** Lets the next call start a new instance while the old one runs on, with a disk that nobody reads. */
  split(): void {
    const { instance } = this
    if (!instance) return
    this.instance = null
    const copy = this.disk.copy(`${this.path} (old)`)
    this.#copies.push(copy)
    this.#loseSockets().leaveBehind()
    instance.runOn(copy)
    this.disk.lose()
    this.alarms.forget()
  }

  /** Takes the instance out of memory unless it is busy. Returns whether it did. */
  evict(): boolean {
    if (!this.instance || this.instance.isBusy || this.disk.isDirty) return false
    this.instance.die()
    this.instance = null
    return true
  }

  /** Lets the next instance begin without sockets. Returns those of the one in memory. */
  #loseSockets(): Sockets {
    const { sockets } = this
    this.sockets = this.#withoutSockets()
    return sockets
  }

  #withoutSockets(): Sockets {
    return new Sockets((socket) => {
      const instance = this.start()
      this.world.scheduler.current = instance
      instance.run({ method: 'webSocketClose', args: [socket], fault: null, end: () => {} })
    })
  }

  /** Frees the disks. SQLite holds on to those that are not closed, because of the function they call. */
  close(): void {
    for (const disk of [this.disk, ...this.#copies]) disk.close()
  }

  /** Chooses the isolate of the next instance. */
  #place(): Isolate {
    const { isolates, random } = this.world
    return random.pick(`isolate of ${this.path} ${this.#starts}`, isolates)
  }
}

/** All objects of a history, by class and name. */
export class Objects {
  readonly #world: World
  readonly #places = new Map<string, Place>()
  readonly #byClass = new Map<string, Place[]>()

  constructor(world: World) {
    this.#world = world
  }

  at(className: string, name: string): Place {
    const path = `${className}/${name}`
    let place = this.#places.get(path)
    if (!place) {
      place = new Place(this.#world, className, name)
      this.#places.set(path, place)
      this.#byClass.set(className, [...this.of(className), place])
    }
    return place
  }

  /** Returns the objects of a class that exist so far, without making any. */
  of(className: string): readonly Place[] {
    return this.#byClass.get(className) ?? []
  }

  find(className: string, name: string): Place | null {
    return this.#places.get(`${className}/${name}`) ?? null
  }

  all(): Place[] {
    return [...this.#places.values()]
  }
}
