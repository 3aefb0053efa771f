import { StreamCheck } from '../invariants/stream.ts'
import { request } from '../world/http.ts'
import type { ClientSocket } from '../world/sockets.ts'
import type { World } from '../world/world.ts'
import { numbered, operate } from './client.ts'

const PAUSE_MS = [100, 5_000] as const
const STAYS_MS = [500, 40_000] as const
const PING_MS = 30_000
/** How often it looks for a whole round, and how many times. */
const LOOK_MS = 2_000
const MAX_LOOKS = 150

/** A viewer of the live stream. */
export class Viewer {
  readonly #world: World
  readonly #name: string
  readonly #next: () => string
  #opened: Opened | null = null

  constructor(world: World, number: number) {
    this.#world = world
    this.#name = `viewer ${number}`
    this.#next = numbered(this.#name)
  }

  /** Connects, watches for a while, and connects again. The last connection stays. */
  async live(until: number): Promise<void> {
    const { random, scheduler } = this.#world
    await operate(this.#world, this.#next, { pauseMs: PAUSE_MS, until }, async (name) => {
      this.#opened?.socket.close()
      this.#opened = await this.#connect(name)
      const staysMs = random.between(`${name} stays`, ...STAYS_MS)
      if (this.#opened) await Promise.race([this.#opened.ended, scheduler.sleep(staysMs)])
    })
  }

  /** Watches until a connection has shown a whole round, if rounds follow each other. */
  async settle(): Promise<void> {
    const { scheduler } = this.#world
    this.#opened?.check.forgetRound()
    for (let looks = 1; looks <= MAX_LOOKS; looks++) {
      if (!this.#opened?.isOpen)
        this.#opened = await this.#connect(`${this.#name} settles ${looks}`)
      await scheduler.sleep(LOOK_MS)
      const { check, socket } = this.#opened ?? {}
      if (check && (check.hasWholeRound || !check.isOpen)) return socket?.close()
    }
    this.#world.violate(`${this.#name} has seen no whole round`)
  }

  async #connect(name: string): Promise<Opened | null> {
    const answer = await request(this.#world, name, {
      method: 'GET',
      path: '/api/crash/stream',
      action: 'stream',
      headers: { upgrade: 'websocket' },
      isUnrepeatable: true,
    })
    return answer?.socket ? new Opened(this.#world, name, answer.socket) : null
  }
}

/** A connection to the live stream. */
class Opened {
  readonly check: StreamCheck
  readonly socket: ClientSocket
  readonly ended: Promise<void>
  isOpen = true

  constructor(world: World, name: string, socket: ClientSocket) {
    this.check = new StreamCheck(world, name)
    this.socket = socket
    this.ended = new Promise((resolve) => {
      const end = () => {
        world.tell(() => `the live stream of ${name} ends`)
        this.isOpen = false
        resolve()
      }
      socket.take({ hear: (text) => this.check.hear(text), end })
    })
    const ping = () => {
      if (!this.isOpen) return
      socket.ping()
      world.scheduler.after(PING_MS, `${name} pings`, null, ping)
    }
    ping()
  }
}
