import { NET_BROKEN, type Fault } from './faults.ts'
import type { World } from './world.ts'

const POSSIBLE: readonly Fault[] = ['request-lost', 'answer-lost', 'delayed']
/** Longer than the service waits for another site. In milliseconds. */
const MAX_DELAY_MS = 6_000

/**
 * Sends a request from the code that is running to a site outside the service.
 * @param site names it in the coverage table
 * @param call names the request in the story
 * @param answer what the site does when the request arrives
 */
export function askOutside(
  world: World,
  site: string,
  call: string,
  init: RequestInit | undefined,
  answer: (crossing: string) => Response,
): Promise<Response> {
  const { scheduler, faults, random } = world
  const from = scheduler.current
  const crossing = faults.crossing(`${from?.name ?? 'world'}>${site}.${call}`)
  const { signal } = init ?? {}
  return new Promise<Response>((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error))
    const settle = (run: () => void) =>
      scheduler.after(world.latency(`${crossing} back`), `answer to ${crossing}`, from, run)
    const fail = () => settle(() => reject(new Error(NET_BROKEN)))
    const send = () => {
      const fault = faults.at(`${from?.kind ?? 'world'}>${site}`, crossing, POSSIBLE)
      if (fault) world.tell(() => `${crossing}: ${fault}`)
      if (fault === 'request-lost') return fail()
      const delayMs =
        fault === 'delayed'
          ? random.between(`${crossing} delay`, 500, MAX_DELAY_MS)
          : world.latency(`${crossing} there`)
      scheduler.after(delayMs, crossing, null, () => {
        const response = answer(crossing)
        if (fault === 'answer-lost') return fail()
        settle(() => resolve(response))
      })
    }
    if (from) from.whenConfirmed(send)
    else send()
  })
}

/** Returns a site's answer in JSON. */
export function jsonResponse(body: object, status = 200): Response {
  return new OutsideAnswer(status, JSON.stringify(body)) as unknown as Response
}

const HEADERS = new Headers({ 'content-type': 'application/json' })

/** A response as far as the service looks at it. Node's own takes longer than most of what the service does with it. */
class OutsideAnswer {
  readonly status: number
  readonly ok: boolean
  readonly headers = HEADERS
  readonly #text: string

  constructor(status: number, text: string) {
    this.status = status
    this.ok = status >= 200 && status < 300
    this.#text = text
  }

  get body(): object {
    const chunks = [Buffer.from(this.#text)]
    const read = async () => {
      const value = chunks.pop()
      return { done: value === undefined, value }
    }
    const cancel = async () => void chunks.pop()
    return { getReader: () => ({ read, cancel }), cancel }
  }

  async text(): Promise<string> {
    return this.#text
  }

  async json(): Promise<unknown> {
    return JSON.parse(this.#text)
  }
}
