import { thumbprintOf } from '../receipts/jws.ts'
import type { LogEntry } from '../transparency/entry.ts'

/** Returns whether an entry of a key has its thumbprint (RFC 7638) as its id, which no other key can have. */
export function isNamedByThumbprint({ id, key }: LogEntry): boolean {
  const { x, y } = (key ?? {}) as { x?: unknown; y?: unknown }
  return typeof x === 'string' && typeof y === 'string' && thumbprintOf({ x, y }) === id
}
