import { useSyncExternalStore } from 'hono/jsx/dom'

/** A value that the page shows, with listeners for its changes. */
export class Store<T> {
  #value: T
  readonly #listeners = new Set<() => void>()

  constructor(value: T) {
    this.#value = value
  }

  get value(): T {
    return this.#value
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return
    this.#value = value
    for (const listener of this.#listeners) listener()
  }

  /** Sets some fields of the value. */
  patch(fields: Partial<T>): void {
    this.set({ ...this.#value, ...fields })
  }

  /** @returns a function that ends the subscription */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** Returns the store's value in a component, which is drawn again when it changes. */
export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, () => store.value)
}
