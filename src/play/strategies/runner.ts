import type { WorkerRequest, WorkerResponse } from './messages.ts'

/** Where the build has put the worker: a file of its own, with a policy of its own. */
declare const STRATEGY_WORKER: string

/** As in {@link https://html.spec.whatwg.org/multipage/workers.html#worker}, with our messages. */
interface Confined {
  postMessage(asked: WorkerRequest): void
  terminate(): void
  onmessage: ((message: { data: WorkerResponse }) => void) | null
  onerror: ((event: { preventDefault(): void }) => void) | null
}

declare const Worker: new (path: string, options: { type: 'module' }) => Confined

/** A strategy that takes longer for a step is stopped. In milliseconds. */
export const STEP_MS = 1_000
/** The longest time between two signs of life of a simulation, and for starting a worker. */
const SILENCE_MS = 10_000

const TOO_LATE = 'The strategy took too long, so it was stopped.'

/** A strategy in a worker of its own, which is ended if it does not answer in time. */
export class StrategyRunner {
  #worker: Confined | null = null
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** Asks the strategy. Starts its worker before the first time, and after one that was ended. */
  async ask(
    asked: Exclude<WorkerRequest, { kind: 'load' }>,
    onProgress?: (runs: number) => void,
  ): Promise<WorkerResponse> {
    if (!this.#worker) {
      this.#worker = new Worker(STRATEGY_WORKER, { type: 'module' })
      const loaded = await this.#send({ kind: 'load', text: this.#text }, SILENCE_MS)
      if (loaded.kind !== 'loaded') return loaded
    }
    return this.#send(asked, asked.kind === 'step' ? STEP_MS : SILENCE_MS, onProgress)
  }

  end(): void {
    this.#worker?.terminate()
    this.#worker = null
  }

  #send(
    asked: WorkerRequest,
    silenceMs: number,
    onProgress?: (runs: number) => void,
  ): Promise<WorkerResponse> {
    const worker = this.#worker
    if (!worker) return Promise.resolve({ kind: 'failed', message: 'The strategy was stopped.' })
    return new Promise((resolve) => {
      const finish = (response: WorkerResponse) => {
        clearTimeout(timer)
        worker.onmessage = null
        worker.onerror = null
        if (response.kind === 'failed') this.end()
        resolve(response)
      }
      const late = () => finish({ kind: 'failed', message: TOO_LATE })
      let timer = setTimeout(late, silenceMs)
      worker.onmessage = ({ data }) => {
        if (data.kind !== 'progress') return finish(data)
        clearTimeout(timer)
        timer = setTimeout(late, silenceMs)
        onProgress?.(data.runs)
      }
      worker.onerror = (event) => {
        event.preventDefault()
        finish({ kind: 'failed', message: 'The strategy could not be started.' })
      }
      worker.postMessage(asked)
    })
  }
}
