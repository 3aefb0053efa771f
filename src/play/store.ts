import { useEffect, useState } from './hooks.ts'

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

/**
 * Returns the store's value in a component, which is drawn again when it changes. Hono's useSyncExternalStore loses
 * its subscription if the component is redrawn before the next frame.
 */
export function useStore<T>(store: Store<T>): T {
  const [, setVersion] = useState(0)
  const { value } = store
  useEffect(() => {
    const update = () => setVersion((version) => version + 1)
    // It may have changed since the component was drawn.
    if (!Object.is(value, store.value)) update()
    return store.subscribe(update)
  }, [store])
  return value
}
