import type { Fault } from './faults.ts'
import type { Isolate, Process } from './isolates.ts'
import type { Host } from './scheduler.ts'
import type { ClientSocket } from './sockets.ts'
import type { World } from './world.ts'

/** A request of a client. */
export interface HttpRequest {
  method: 'GET' | 'POST'
  path: string
  /** For the story and the coverage table, such as `bet`. */
  action: string
  headers?: Record<string, string>
  /** JSON text. */
  body?: string
  /** Whether a second delivery would be another operation. The network then delivers it once at most. */
  isUnrepeatable?: boolean
  /** The wallet that asks, whose state an answer may show. */
  wallet?: string
  /** Of what every `ok` answer says the same, to whichever delivery, heard or not. */
  subject?: string | undefined
}

export interface HttpAnswer {
  status: number
  text: string
  /** The client's end of a socket, if the answer switches to one. */
  socket?: ClientSocket
}

const POSSIBLE: readonly Fault[] = [
  'request-lost',
  'answer-lost',
  'late',
  'delayed',
  'duplicated',
  'cancelled',
  'recycled',
]
const POSSIBLE_ONCE = POSSIBLE.filter((fault) => fault !== 'duplicated')

/** A client waits this long for an answer. In milliseconds. */
const PATIENCE_MS = 20_000
/** A client that disconnects does so within this time. */
const CANCELLED_WITHIN_MS = 400

/** A request that the router handles in one isolate. It has no storage, so nothing holds back its messages. */
class Handling implements Host {
  readonly kind: string
  readonly name: string
  readonly process: Process
  isAlive = true

  constructor(kind: string, name: string, { process }: Isolate) {
    this.kind = kind
    this.name = name
    this.process = process
  }

  whenConfirmed(run: () => void): void {
    run()
  }
}

/**
 * Sends a request through any isolate's router.
 * @returns the answer, or null if none came
 */
export function request(
  world: World,
  client: string,
  { method, path, action, headers = {}, body, isUnrepeatable = false, subject }: HttpRequest,
): Promise<HttpAnswer | null> {
  const { scheduler, random, faults } = world
  const crossing = faults.crossing(`${client}>router ${action}`)
  return new Promise((resolve) => {
    const answer = (found: HttpAnswer | null) => {
      world.leave(() => `${crossing}: ${found?.text}`)
      scheduler.after(world.latency(`${crossing} back`), `answer to ${crossing}`, null, () => {
        patience.isOff = true
        resolve(found)
      })
    }
    const compare = ({ status, text }: HttpAnswer) => {
      if (subject !== undefined && status === 200) world.promise(subject, lastingPart(text))
    }
    const arrive = (delayMs: number, leg: string, done: (found: HttpAnswer) => void) =>
      scheduler.after(delayMs, `${crossing} ${leg}`, null, () => {
        const isolate = world.isolateFor(`${crossing} ${leg}`)
        if (leg === 'recycled') world.recycle(isolate)
        const handling = new Handling('router', `router of ${crossing}`, isolate)
        scheduler.current = handling
        world.tell(() => `${crossing} arrives at isolate ${isolate.number}: ${body ?? path}`)
        const sent = new Request(`http://localhost:8787${path}`, {
          method,
          headers: { 'content-type': 'application/json', ...headers, ...lengthOf(body) },
          ...(body !== undefined && { body }),
        })
        void handle(world, isolate, sent, (found) => {
          compare(found)
          done(found)
        })
        if (leg === 'cancelled') {
          const after = random.between(`${crossing} cancelled`, 0, CANCELLED_WITHIN_MS)
          scheduler.after(after, `${crossing} is cancelled`, null, () => {
            handling.isAlive = false
          })
        }
      })
    const possible = isUnrepeatable ? POSSIBLE_ONCE : POSSIBLE
    const fault = faults.at(`client>router ${action}`, crossing, possible)
    if (fault) world.tell(() => `${crossing}: ${fault}`)
    const there = world.latency(`${crossing} there`)
    const patience = scheduler.after(PATIENCE_MS, `patience of ${crossing}`, null, () => {
      resolve(null)
    })
    if (fault === 'request-lost') answer(null)
    else if (fault === 'late') {
      answer(null)
      arrive(world.lateness(crossing), 'late', () => {})
    } else if (fault === 'delayed') arrive(world.lateness(crossing), 'delayed', answer)
    else if (fault === 'answer-lost') arrive(there, 'unheard', () => answer(null))
    else if (fault === 'cancelled') {
      arrive(there, 'cancelled', () => {})
      answer(null)
    } else {
      arrive(there, fault === 'recycled' ? fault : 'first', answer)
      if (fault === 'duplicated') arrive(world.lateness(crossing), 'second', () => {})
    }
  })
}

/** Returns the header that each client sends with a body. Without it, the service counts what it reads. */
function lengthOf(body: string | undefined): Record<string, string> {
  return body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
}

/** Returns what an answer says whenever it is given: all but the caller's state and the receipt. */
function lastingPart(text: string): string {
  const { me: _me, receipt: _receipt, ...rest } = JSON.parse(text) as Record<string, unknown>
  return JSON.stringify(rest)
}

async function handle(
  world: World,
  isolate: Isolate,
  sent: Request,
  done: (found: HttpAnswer) => void,
): Promise<void> {
  const context = {
    waitUntil: (work: Promise<unknown>) => void work.catch(() => {}),
    passThroughOnException: () => {},
  }
  try {
    const response = await isolate.exports.default.fetch(sent, isolate.env, context)
    const text = await response.text()
    world.expectNoPepper('an answer', text)
    const { webSocket: socket } = response as unknown as { webSocket?: ClientSocket }
    done({ status: response.status, text, ...(socket && { socket }) })
  } catch (fault) {
    world.noteFault('router', fault)
    done({ status: 500, text: '' })
  }
}

/** Runs the cron handler in any isolate. */
export function runCron(world: World): void {
  const { scheduler, random, isolates, faults } = world
  const crossing = faults.crossing('cron')
  const fault = faults.at('cron', crossing, ['request-lost', 'doubled'])
  if (fault === 'request-lost') return
  const isolate = random.pick(crossing, isolates)
  for (let run = 0; run < (fault === 'doubled' ? 2 : 1); run++) {
    scheduler.after(run, crossing, new Handling('cron', `${crossing} ${run}`, isolate), () => {
      world.tell(() => `${crossing} runs`)
      isolate.exports.default.scheduled({}, isolate.env).catch((error: unknown) => {
        world.noteFault(crossing, error)
      })
    })
  }
}
