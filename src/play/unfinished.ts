/** What a wallet has under way, so that it outlives a reload: one of a name. */
export class Unfinished<T> {
  readonly #name: string

  constructor(name: string) {
    this.#name = name
  }

  /** Null where there is nothing, or the browser keeps nothing. */
  read(owner: string): T | null {
    try {
      return JSON.parse(localStorage.getItem(this.#key(owner)) ?? 'null') as T | null
    } catch {
      return null
    }
  }

  write(owner: string, value: T | null): void {
    try {
      if (value === null) localStorage.removeItem(this.#key(owner))
      else localStorage.setItem(this.#key(owner), JSON.stringify(value))
    } catch {
      // A browser that keeps nothing still plays.
    }
  }

  #key(owner: string): string {
    return `fairhouse.${this.#name}.${owner}`
  }
}
