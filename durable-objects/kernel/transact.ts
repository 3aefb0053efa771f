/** A result that is there now. */
export type Settled<T> = T extends PromiseLike<unknown> ? never : T

/**
 * Runs synchronous work in one transaction: all of its writes are kept, or none if it throws.
 * An async closure does not type-check; it would commit before it had finished.
 */
export function transact<T>(storage: DurableObjectStorage, work: () => Settled<T>): Settled<T> {
  return storage.transactionSync(work)
}
