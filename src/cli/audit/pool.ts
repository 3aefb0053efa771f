import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Jobs } from './work.ts'

/** Jobs that wait for a thread. More would only fill memory, so their sender waits. */
const MAX_WAITING_PER_THREAD = 2

/** Carries out the jobs of an audit. */
export interface Workers {
  /** Waits until there is room for a job. */
  room(): Promise<void>
  run<J extends keyof Jobs>(kind: J, job: Jobs[J]['in']): Promise<Jobs[J]['out']>
  close(): Promise<void>
}

interface Thread {
  worker: Worker
  waiting: { resolve: (result: never) => void; reject: (fault: Error) => void }[]
}

/** Threads that work on parts of an export. */
export class Pool implements Workers {
  readonly #threads: Thread[]
  /** Wakes the senders that wait for room. */
  #wake: (() => void)[] = []

  constructor(threads = availableParallelism()) {
    this.#threads = Array.from({ length: threads }, () => this.#start())
  }

  /** Waits until a thread has room for a job. */
  async room(): Promise<void> {
    while (this.#next().waiting.length >= MAX_WAITING_PER_THREAD) {
      await new Promise<void>((resolve) => this.#wake.push(resolve))
    }
  }

  /** Has a thread do a job. */
  run<J extends keyof Jobs>(kind: J, job: Jobs[J]['in']): Promise<Jobs[J]['out']> {
    const thread = this.#next()
    const done = new Promise<Jobs[J]['out']>((resolve, reject) => {
      thread.waiting.push({ resolve, reject })
    })
    thread.worker.postMessage({ kind, job })
    return done
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()))
  }

  /** Returns the thread with the fewest jobs. */
  #next(): Thread {
    return this.#threads.reduce((least, thread) =>
      thread.waiting.length < least.waiting.length ? thread : least,
    )
  }

  #start(): Thread {
    const worker = new Worker(new URL('./thread.ts', import.meta.url))
    const thread: Thread = { worker, waiting: [] }
    worker.on('message', (result) => {
      thread.waiting.shift()?.resolve(result as never)
      for (const wake of this.#wake.splice(0)) wake()
    })
    worker.on('error', (fault: Error) => {
      for (const { reject } of thread.waiting.splice(0)) reject(fault)
      for (const wake of this.#wake.splice(0)) wake()
    })
    return thread
  }
}
