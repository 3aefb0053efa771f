import { Child } from './child.ts'

export interface LoadRequest {
  method?: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: string
}

/** A number of requests, sent as fast as the connections allow, one at a time on each. */
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
  /** The number of failed requests, by cause. */
  failures: Record<string, number>
}

/** The load comes from a separate process, so it does not wait for this one. */
export class LoadClient {
  readonly #child = new Child('load-process.ts')

  run(load: Load): Promise<LoadResult> {
    return this.#child.ask<LoadResult>(load)
  }

  close(): void {
    this.#child.close()
  }
}
