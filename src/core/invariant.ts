/** Thrown when something that must never be is. It is a fault: nothing of the operation is kept. */
export class InvariantError extends Error {
  override name = 'InvariantError'
}

/** Asserts what must always hold, in production too. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message)
}
