import { Child } from './child.ts'

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
  readonly #child = new Child('load-process.ts')

  run(load: Load): Promise<LoadResult> {
    return this.#child.ask<LoadResult>(load)
  }

  close(): void {
    this.#child.close()
  }
}
