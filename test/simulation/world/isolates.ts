import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Script } from 'node:vm'
import { CompressionStream, DecompressionStream } from './r2.ts'
import type { Scheduler } from './scheduler.ts'
import type { World } from './world.ts'

/** A class of Durable Objects, as the runtime sees it. */
export type ObjectClass = new (context: object, env: object) => LiveObject

/** An object's methods. */
export type LiveObject = Record<string, (...args: unknown[]) => unknown>

/** What the Worker's bundle exports. */
export type Exports = Record<string, ObjectClass> & {
  default: {
    fetch(request: Request, env: object, context: object): Response | Promise<Response>
    scheduled(event: object, env: object): Promise<void>
  }
}

type Globals = Record<string, unknown>

const require = createRequire(import.meta.url)

/** A compiled bundle of the Worker. Each start of it has its own module memory. */
export class Program {
  readonly #script: Script
  readonly #names: readonly string[]

  /** @param globals the names of the globals that differ from Node's */
  constructor(code: string, globals: readonly string[]) {
    this.#names = globals
    const parameters = ['module', 'exports', 'require', ...globals].join(', ')
    this.#script = new Script(`(function (${parameters}) {\n${code}\n})`, { filename: 'worker.js' })
  }

  start(globals: Globals): Exports {
    const module = { exports: {} }
    const run = this.#script.runInThisContext() as (...values: unknown[]) => void
    run(module, module.exports, require, ...this.#names.map((name) => globals[name]))
    return module.exports as Exports
  }
}

export const GLOBALS = [
  'Date',
  'setTimeout',
  'clearTimeout',
  'crypto',
  'fetch',
  'console',
  'AbortSignal',
  'CompressionStream',
  'DecompressionStream',
  'WebSocket',
  'WebSocketPair',
  'WebSocketRequestResponsePair',
  'secp256k1',
] as const

/** As Node has it: the Workers' types only know modules that come with a bundle. */
const { Module } = WebAssembly as unknown as { Module: new (bytes: Uint8Array) => object }

const secp256k1 = new Module(
  readFileSync(new URL('../../../node_modules/tiny-secp256k1/lib/secp256k1.wasm', import.meta.url)),
)

/** A process of the runtime on some machine: module memory, a clock, and the objects placed there. */
export class Isolate {
  readonly number: number
  readonly skewMs: number
  readonly env: object
  readonly #world: World
  #exports: Exports | null = null

  constructor(world: World, number: number, skewMs: number) {
    this.#world = world
    this.number = number
    this.skewMs = skewMs
    this.env = world.environment()
  }

  get exports(): Exports {
    this.#exports ??= this.#world.program.start(globalsOf(this.#world, this))
    return this.#exports
  }

  /** Forgets its module memory, as when the runtime replaces it. */
  recycle(): void {
    this.#exports = null
  }
}

/** Returns the runtime's globals, over the world's clock, timers and randomness. */
function globalsOf(world: World, { skewMs }: Isolate): Globals {
  const { scheduler } = world
  return {
    ...timersOf(scheduler),
    Date: class extends Date {
      constructor(...parts: unknown[]) {
        if (parts.length === 0) super(scheduler.now + skewMs)
        else super(...(parts as [number]))
      }
      static override now() {
        return scheduler.now + skewMs
      }
    },
    crypto: world.crypto(),
    fetch: world.fetch,
    console: world.console,
    CompressionStream,
    DecompressionStream,
    AbortSignal: {
      timeout: (ms: number) => timeoutSignal(scheduler, ms),
      any: (signals: AbortSignal[]) => AbortSignal.any(signals),
    },
    WebSocket: { OPEN: 1 },
    WebSocketPair: NoSocket,
    WebSocketRequestResponsePair: NoSocket,
    secp256k1,
  }
}

/** Stands for the runtime's sockets, which no history opens yet. */
class NoSocket {
  readonly isSimulated = false
}

function timersOf(scheduler: Scheduler) {
  return {
    setTimeout(run: (...args: unknown[]) => void, delayMs = 0, ...args: unknown[]) {
      const timer = { isSet: true }
      scheduler.after(delayMs, 'timer', scheduler.current, () => timer.isSet && run(...args))
      return timer
    },
    clearTimeout(timer: { isSet: boolean } | undefined) {
      if (timer) timer.isSet = false
    },
  }
}

function timeoutSignal(scheduler: Scheduler, delayMs: number): AbortSignal {
  const controller = new AbortController()
  scheduler.after(delayMs, 'time-out', scheduler.current, () =>
    controller.abort(new DOMException('The operation timed out.', 'TimeoutError')),
  )
  return controller.signal
}
