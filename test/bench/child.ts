import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** A child process that answers one question at a time. */
export class Child {
  readonly #process: ChildProcess

  /** @param file in this folder */
  constructor(file: string) {
    this.#process = fork(new URL(file, import.meta.url))
  }

  async ask<Answer>(question: object): Promise<Answer> {
    const exit = new AbortController()
    const died = once(this.#process, 'exit', { signal: exit.signal }).then(() => {
      throw new Error('a process of the bench ended')
    })
    died.catch(() => {})
    this.#process.send(question)
    try {
      const [answer] = (await Promise.race([once(this.#process, 'message'), died])) as [Answer]
      return answer
    } finally {
      exit.abort()
    }
  }

  close(): void {
    this.#process.kill()
  }
}
