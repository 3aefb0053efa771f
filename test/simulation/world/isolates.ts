import { readFileSync } from 'node:fs'
import { Script } from 'node:vm'
import type { RuntimeCrypto } from './crypto.ts'
import type { Cell } from './memory.ts'
import { requirePure } from './pure.ts'
import { CompressionStream, DecompressionStream } from './r2.ts'
import type { Planned, Scheduler } from './scheduler.ts'
import { socketPair } from './sockets.ts'
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

/**
 * An evaluated bundle of the Worker. It serves all isolates: whenever code of another process is about to run, its
 * module memory is exchanged.
 */
export class Program {
  readonly exports: Exports
  readonly #cells: Cell[] = []
  #running: Process | null = null

  /** @param globals the names of the globals that differ from Node's */
  constructor(code: string, globals: readonly string[]) {
    const parameters = ['module', 'exports', 'require', 'cells', ...globals].join(', ')
    const script = new Script(`(function (${parameters}) {\n${code}\n})`, { filename: 'worker.js' })
    const run = script.runInThisContext() as (...values: unknown[]) => void
    const ours = globalsOf(() => this.#running)
    const module = { exports: {} as Exports }
    run(module, module.exports, requirePure, this.#cells, ...globals.map((name) => ours[name]))
    this.exports = module.exports
  }

  start(world: World, skewMs: number): Process {
    const memory = this.#cells.map(({ fresh }) => fresh())
    return { program: this, world, crypto: world.crypto(), skewMs, memory }
  }

  /** Lets the code of a process run from now on. */
  enter(process: Process): void {
    if (process === this.#running) return
    if (this.#running) this.#running.memory = this.#cells.map(({ read }) => read())
    for (const [index, { write }] of this.#cells.entries()) write(process.memory[index])
    this.#running = process
  }
}

/** A start of the Worker: module memory, and a clock. */
export interface Process {
  readonly program: Program
  readonly world: World
  readonly crypto: RuntimeCrypto
  /** Its clock's difference from true time, in milliseconds. */
  readonly skewMs: number
  /** What its modules keep, while it does not run. */
  memory: unknown[]
}

const SWITCHING_PROTOCOLS = 101

export const GLOBALS = [
  'Date',
  'setTimeout',
  'clearTimeout',
  'crypto',
  'fetch',
  'console',
  'AbortSignal',
  'Response',
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

/** A place on some machine where a process runs, and with it the objects placed there. */
export class Isolate {
  readonly number: number
  readonly skewMs: number
  env: object
  readonly #world: World
  #starts = 0
  process: Process

  constructor(world: World, number: number, skewMs: number) {
    this.#world = world
    this.number = number
    this.skewMs = skewMs
    this.env = world.environment()
    this.process = this.#start()
  }

  get exports(): Exports {
    return this.process.program.exports
  }

  /**
   * Starts again without its module memory, as when the runtime replaces it: during a deployment with either version,
   * and always with the latest variables.
   */
  recycle(): void {
    this.env = this.#world.environment()
    this.process = this.#start()
  }

  #start(): Process {
    const { random, programs } = this.#world
    const version = random.pick(`version of ${this.number} ${this.#starts++}`, programs)
    return version.start(this.#world, this.skewMs)
  }
}

/** Returns the runtime's globals, over the clock, the timers and the randomness of the process that runs. */
function globalsOf(running: () => Process | null): Globals {
  const here = () => {
    const process = running()
    if (!process) throw new Error('a module of the service does this while it is evaluated')
    return process
  }
  const now = () => {
    const { world, skewMs } = here()
    return world.scheduler.now + skewMs
  }
  const of = <T extends object>(find: () => T) =>
    new Proxy({} as T, { get: (_, name) => find()[name as keyof T] })
  return {
    ...timersOf(() => here().world.scheduler),
    Date: class extends Date {
      constructor(...parts: unknown[]) {
        if (parts.length === 0) super(now())
        else super(...(parts as [number]))
      }
      static override now() {
        return now()
      }
    },
    crypto: of(() => here().crypto),
    fetch: (url: unknown, init?: RequestInit) => here().world.fetch(url, init),
    console: of(() => here().world.console),
    CompressionStream,
    DecompressionStream,
    AbortSignal: {
      timeout: (ms: number) => timeoutSignal(here().world.scheduler, ms),
      any: (signals: AbortSignal[]) => AbortSignal.any(signals),
    },
    WebSocket: { OPEN: 1 },
    Response: SwitchingResponse,
    WebSocketPair: function WebSocketPair() {
      return socketPair(here().world)
    },
    WebSocketRequestResponsePair: Object,
    secp256k1,
  }
}

/** Node's responses, and those that switch to a socket, which Node does not have. */
const SwitchingResponse = new Proxy(Response, {
  construct(target, [body, init]: ConstructorParameters<typeof Response>) {
    const { webSocket } = (init ?? {}) as { webSocket?: unknown }
    if (!webSocket) return new target(body, init)
    return Object.defineProperties(new target(null), {
      status: { value: SWITCHING_PROTOCOLS },
      webSocket: { value: webSocket },
    })
  },
})

function timersOf(schedulerOf: () => Scheduler) {
  return {
    setTimeout(run: (...args: unknown[]) => void, delayMs = 0, ...args: unknown[]) {
      const scheduler = schedulerOf()
      return scheduler.after(delayMs, 'timer', scheduler.current, () => run(...args))
    },
    clearTimeout(timer: Planned | undefined) {
      if (timer) timer.isOff = true
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
