/** A broken invariant: a fault in the service, which discards the whole operation. */
export class InvariantError extends Error {
  override name = 'InvariantError'
}

/** Asserts an invariant, in production too. @throws InvariantError if it does not hold */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message)
}
