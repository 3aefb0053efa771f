/** A result that is not a promise. */
export type Sync<T> = T extends PromiseLike<unknown> ? never : T

/**
 * Runs synchronous work in one transaction: all of its writes are stored, or none if it throws.
 * An async closure does not type-check, because it would commit before it had finished.
 */
export function transact<T>(storage: DurableObjectStorage, work: () => Sync<T>): Sync<T> {
  return storage.transactionSync(work)
}
