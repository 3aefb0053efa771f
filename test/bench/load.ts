import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

export interface LoadRequest {
  method?: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: string
}

/** So many requests as fast as the connections allow, each connection one at a time. */
export interface Load {
  url: string
  connections: number
  amount: number
  /** Sent in turn, over and over until `amount` is reached. */
  requests: LoadRequest[]
}

export interface LoadResult {
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** How many requests went wrong, by what went wrong. */
  failures: Record<string, number>
}

/** The load comes from a process of its own, so that it does not wait for this one. */
export class LoadClient {
  readonly #process: ChildProcess

  constructor() {
    this.#process = fork(new URL('load-process.ts', import.meta.url))
  }

  async run(load: Load): Promise<LoadResult> {
    const exit = new AbortController()
    const died = once(this.#process, 'exit', { signal: exit.signal }).then(() => {
      throw new Error('the load process ended')
    })
    died.catch(() => {})
    this.#process.send(load)
    try {
      const [result] = (await Promise.race([once(this.#process, 'message'), died])) as [LoadResult]
      return result
    } finally {
      exit.abort()
    }
  }

  close(): void {
    this.#process.kill()
  }
}
