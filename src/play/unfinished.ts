import type { Tickets } from './job.ts'

/** Keeps one ticket per wallet and name in the browser, so that its job survives a reload. */
export class Unfinished<T> implements Tickets<T> {
  readonly #name: string

  constructor(name: string) {
    this.#name = name
  }

  /** Returns null if nothing was kept, or if the browser keeps nothing. */
  read(owner: string): T | null {
    try {
      return JSON.parse(localStorage.getItem(this.#key(owner)) ?? 'null') as T | null
    } catch {
      return null
    }
  }

  write(owner: string, ticket: T | null): void {
    try {
      if (ticket === null) localStorage.removeItem(this.#key(owner))
      else localStorage.setItem(this.#key(owner), JSON.stringify(ticket))
    } catch {
      // A browser that keeps nothing can still play.
    }
  }

  drop(owner: string): void {
    this.write(owner, null)
  }

  #key(owner: string): string {
    return `fairhouse.${this.#name}.${owner}`
  }
}
