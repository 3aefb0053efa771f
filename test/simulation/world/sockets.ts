import type { Host } from './scheduler.ts'
import type { World } from './world.ts'

const OPEN = 1
const CLOSING = 2
const CLOSED = 3
/** A socket that nobody has taken, because its caller was not answered, ends after this long. */
const UNTAKEN_MS = 30_000

/** Receives what arrives at a client's end. */
export interface Listener {
  hear(text: string): void
  /** The socket has ended, by either side. */
  end(): void
}

/** An object's end of a socket, as the runtime shows it. Its attachment outlives the instance in memory. */
export class ServerSocket {
  readyState = OPEN
  /** When the client's latest ping was answered, by the runtime. */
  pingedAt: Date | null = null
  tags: readonly string[] = []
  readonly client: ClientSocket
  readonly #world: World
  #attachment: unknown = null
  #sent = 0
  /** When what was sent last arrives; nothing overtakes it. */
  #arrivesAt = 0

  constructor(client: ClientSocket, world: World) {
    this.client = client
    this.#world = world
  }

  /** Sends a text once the writes before it are confirmed. */
  send(text: string): void {
    if (this.readyState !== OPEN) throw new TypeError("Can't call WebSocket send() after close().")
    this.#leave(this.#world.scheduler.current, () => {
      this.#world.leave(() => `${this.client.name}: ${text}`)
      this.#world.expectNoPepper('the live stream', text)
      this.#arrive(() => this.client.hear(text))
    })
  }

  close(): void {
    if (this.readyState === CLOSED) return
    this.readyState = CLOSED
    this.#leave(this.#world.scheduler.current, () => this.#arrive(() => this.client.end()))
  }

  serializeAttachment(value: unknown): void {
    this.#attachment = structuredClone(value)
  }

  deserializeAttachment(): unknown {
    return structuredClone(this.#attachment)
  }

  /** The machine has failed: what has not left is lost, but the client hears that the connection has ended. */
  break(): void {
    this.readyState = CLOSED
    if (!this.client.hasEnded) this.#arrive(() => this.client.end())
  }

  #leave(host: Host | null, run: () => void): void {
    if (host) host.whenConfirmed(run)
    else run()
  }

  #arrive(run: () => void): void {
    const { scheduler } = this.#world
    const at = scheduler.now + this.#world.latency(`${this.client.name} hears ${this.#sent++}`)
    this.#arrivesAt = Math.max(this.#arrivesAt, at)
    scheduler.after(this.#arrivesAt - scheduler.now, `to ${this.client.name}`, null, run)
  }
}

/** A client's end of a socket. */
export class ClientSocket {
  readonly name: string
  readonly server: ServerSocket
  /** Tells the object that accepted the server's end that the client has closed it. */
  onClose: () => void = () => {}
  readonly #world: World
  #listener: Listener | null = null
  #unheard: string[] = []
  /** Whether the client knows that the connection has ended. */
  hasEnded = false
  #pings = 0

  constructor(world: World, name: string) {
    this.name = name
    this.#world = world
    this.server = new ServerSocket(this, world)
    world.scheduler.after(UNTAKEN_MS, `${name} is not taken`, null, () => {
      if (!this.#listener) this.close()
    })
  }

  /** Has a client listen from now on, to what has arrived already too. */
  take(listener: Listener): void {
    this.#listener = listener
    for (const text of this.#unheard) listener.hear(text)
    this.#unheard = []
    if (this.hasEnded) listener.end()
  }

  hear(text: string): void {
    if (this.hasEnded) return
    if (this.#listener) this.#listener.hear(text)
    else this.#unheard.push(text)
  }

  /** The runtime answers a ping without waking the object. */
  ping(): void {
    const { scheduler } = this.#world
    scheduler.after(
      this.#world.latency(`${this.name} pings ${this.#pings++}`),
      'ping',
      null,
      () => {
        this.server.pingedAt = new Date(scheduler.now)
      },
    )
  }

  close(): void {
    if (this.hasEnded) return
    this.hasEnded = true
    const { scheduler } = this.#world
    scheduler.after(this.#world.latency(`${this.name} closes`), `close ${this.name}`, null, () => {
      if (this.server.readyState !== OPEN) return
      this.server.readyState = CLOSING
      this.onClose()
    })
    this.#listener?.end()
  }

  end(): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.#listener?.end()
  }
}

/** Returns a pair of sockets, the client's first, as the runtime's `WebSocketPair`. */
export function socketPair(world: World): { 0: ClientSocket; 1: ServerSocket } {
  const host = world.scheduler.current?.name ?? 'world'
  const client = new ClientSocket(world, world.faults.crossing(`socket of ${host}`))
  return { 0: client, 1: client.server }
}

/** The sockets that an object has accepted. They outlive its eviction, but not its machine. */
export class Sockets {
  readonly #onClose: (socket: ServerSocket) => void
  #accepted: ServerSocket[] = []

  /** @param onClose tells the object that a client has closed its end */
  constructor(onClose: (socket: ServerSocket) => void) {
    this.#onClose = onClose
  }

  accept(socket: ServerSocket, tags: readonly string[]): void {
    socket.tags = tags
    socket.client.onClose = () => this.#onClose(socket)
    this.#accepted.push(socket)
  }

  all(tag?: string): ServerSocket[] {
    // The end of a closed one may not have left yet.
    this.#accepted = this.#accepted.filter(
      ({ client, readyState }) => readyState !== CLOSED || !client.hasEnded,
    )
    return this.#accepted.filter(
      ({ readyState, tags }) => readyState !== CLOSED && (tag === undefined || tags.includes(tag)),
    )
  }

  break(): void {
    for (const socket of this.#accepted) socket.break()
    this.#accepted = []
  }

  /** Keeps the sockets of an old instance from the new one. */
  leaveBehind(): void {
    for (const { client } of this.#accepted) client.onClose = () => {}
  }

  /** The runtime's part of an object's `ctx`. */
  context(): object {
    return {
      acceptWebSocket: (socket: ServerSocket, tags: string[] = []) => this.accept(socket, tags),
      getWebSockets: (tag?: string) => this.all(tag),
      setWebSocketAutoResponse: () => {},
      getWebSocketAutoResponseTimestamp: ({ pingedAt }: ServerSocket) => pingedAt,
    }
  }
}
