import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { R2_BROKEN, type Fault } from './faults.ts'
import type { World } from './world.ts'

const POSSIBLE: readonly Fault[] = ['request-lost', 'answer-lost', 'late', 'delayed']

/** An R2 bucket. */
export class R2 {
  readonly files = new Map<string, Uint8Array>()
  readonly #world: World
  readonly #name: string

  constructor(world: World, name: string) {
    this.#world = world
    this.#name = name
  }

  get(key: string): Promise<object | null> {
    return this.#send('get', () => {
      const bytes = this.files.get(key)
      return bytes ? fileOf(key, bytes) : null
    })
  }

  head(key: string): Promise<object | null> {
    return this.#send('head', () => {
      const bytes = this.files.get(key)
      return bytes ? { key, size: bytes.length } : null
    })
  }

  /** @param options `onlyIf` means in the service that there must be no such file */
  put(
    key: string,
    content: ArrayBuffer | string,
    { onlyIf }: { onlyIf?: object } = {},
  ): Promise<object | null> {
    const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content)
    this.#leave(key, bytes)
    return this.#send('put', () => {
      if (onlyIf && this.files.has(key)) return null
      this.files.set(key, bytes)
      return { key, size: bytes.length }
    })
  }

  /**
   * Records what is put. Tiles of the log have hashes over commitments, which differ in twins; what the rounds send it
   * is recorded as they do.
   */
  #leave(key: string, bytes: Uint8Array): void {
    const from = this.#world.scheduler.current
    const content = () => (from?.kind === 'TransparencyLog' ? '' : plain(bytes).toString())
    this.#world.leave(() => `${from?.name ?? 'world'}>${this.#name}.put ${key}: ${content()}`)
  }

  /** Carries out a call from the code that is running. */
  #send<T>(method: string, execute: () => T): Promise<T> {
    const { scheduler, faults } = this.#world
    const from = scheduler.current
    const crossing = faults.crossing(`${from?.name ?? 'world'}>${this.#name}.${method}`)
    const boundary = `${from?.kind ?? 'world'}>${this.#name}.${method}`
    return new Promise((resolve, reject) => {
      const settle = (run: () => void) =>
        scheduler.after(this.#world.latency(`${crossing} back`), `answer to ${crossing}`, from, run)
      const fail = () => settle(() => reject(new Error(R2_BROKEN)))
      const arrive = (delayMs: number, done: (result: T) => void) =>
        scheduler.after(delayMs, crossing, null, () => done(execute()))
      const succeed = (result: T) => settle(() => resolve(result))
      const send = () => {
        const fault = faults.at(boundary, crossing, POSSIBLE)
        if (fault) this.#world.tell(() => `${crossing}: ${fault}`)
        const there = this.#world.latency(`${crossing} there`)
        if (fault === 'request-lost') fail()
        else if (fault === 'answer-lost') arrive(there, fail)
        else if (fault === 'late') {
          fail()
          arrive(this.#world.lateness(crossing), () => {})
        } else arrive(fault === 'delayed' ? this.#world.lateness(crossing) : there, succeed)
      }
      if (from) from.whenConfirmed(send)
      else send()
    })
  }
}

/** Returns the content of a file, without compression. */
function plain(bytes: Uint8Array): Buffer {
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : Buffer.from(bytes)
}

/** Returns a file as the runtime does. Its content can be read once. */
function fileOf(key: string, bytes: Uint8Array): object {
  const response = new Response(bytes)
  return {
    key,
    size: bytes.length,
    body: response.body,
    arrayBuffer: () => response.arrayBuffer(),
    text: () => response.text(),
    httpEtag: `"${createHash('md5').update(bytes).digest('hex')}"`,
    writeHttpMetadata: () => {},
  }
}

/** Node's own streams compress on other threads, whose order no seed decides. */
function converted(convert: (all: Buffer) => Uint8Array): TransformStream<Uint8Array, Uint8Array> {
  const chunks: Uint8Array[] = []
  return new TransformStream({
    transform: (chunk) => void chunks.push(chunk),
    flush: (controller) => controller.enqueue(convert(Buffer.concat(chunks))),
  })
}

/** Constructors, as the service calls them: each returns another object than its own. */
export function CompressionStream() {
  return converted((bytes) => gzipSync(bytes))
}

export function DecompressionStream() {
  return converted((bytes) => gunzipSync(bytes))
}
