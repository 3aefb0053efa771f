import { runDurableObjectAlarm } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { expect } from 'vitest'
import { crashStream } from '../../src/calls/objects.ts'
import type { StreamMessage } from '../../src/crash/stream.ts'

export interface Closed {
  code: number
  reason: string
}

/** A live viewer of the table, with the messages received. */
export class Viewer {
  readonly heard: StreamMessage[] = []
  readonly closed: Promise<Closed>
  readonly #socket: WebSocket
  #pongs = 0
  #awaited: (() => void)[] = []

  constructor(socket: WebSocket) {
    this.#socket = socket
    this.closed = new Promise((resolve) => {
      socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }))
    })
    socket.addEventListener('message', ({ data }) => {
      if (data === 'pong') this.#pongs++
      else this.heard.push(JSON.parse(String(data)) as StreamMessage)
      for (const awake of this.#awaited.splice(0)) awake()
    })
    socket.accept()
  }

  static async connect(address = '192.0.2.1'): Promise<Viewer> {
    const { webSocket } = await knock(address)
    expect(webSocket).not.toBeNull()
    return new Viewer(webSocket as WebSocket)
  }

  say(message: string): void {
    this.#socket.send(message)
  }

  leave(): void {
    this.#socket.close(1000)
  }

  /** Waits for this many messages of a type, and returns everything received. */
  async hears<T extends StreamMessage['type']>(type: T, count = 1) {
    const ofType = () => this.heard.filter((message) => message.type === type)
    await this.#until(() => ofType().length >= count)
    return ofType() as Extract<StreamMessage, { type: T }>[]
  }

  /** Everything sent so far: a pong arrives after all earlier messages. */
  async all(): Promise<StreamMessage[]> {
    const pongs = this.#pongs + 1
    this.say('ping')
    await this.#until(() => this.#pongs >= pongs)
    return this.heard
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => this.#awaited.push(resolve))
  }
}

/** The answer to a request to watch live. */
export function knock(address = '192.0.2.1'): Promise<Response> {
  return exports.default.fetch('http://fairhouse.test/api/crash/stream', {
    headers: { upgrade: 'websocket', 'cf-connecting-ip': address },
  })
}

export function ringStream(): Promise<boolean> {
  return runDurableObjectAlarm(crashStream(env))
}
