import type { Tickets } from './job.ts'
import { readKept, readText, writeKept } from './storage.ts'

/** Keeps one ticket per wallet and name in the browser, so that its job survives a reload. */
export class Unfinished<T> implements Tickets<T> {
  readonly #name: string

  constructor(name: string) {
    this.#name = name
  }

  /** Returns null if nothing is stored or the browser blocks storage. */
  read(owner: string): T | null {
    return readKept(this.#key(owner))
  }

  write(owner: string, ticket: T | null): void {
    writeKept(this.#key(owner), ticket)
  }

  /** Keeps another ticket, which another tab may have stored meanwhile. */
  drop(owner: string, ticket: T): void {
    if (readText(this.#key(owner)) === JSON.stringify(ticket)) this.write(owner, null)
  }

  #key(owner: string): string {
    return `fairhouse.${this.#name}.${owner}`
  }
}
