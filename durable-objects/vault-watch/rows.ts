import type { VaultEvent } from '../../src/vault/events.ts'
import type { Stored } from '../kernel/stored.ts'

/** An event as read, and whether the chain has it now. */
export interface StoredEvent extends VaultEvent {
  isOnChain: boolean
  /** In unix milliseconds. */
  seenAt: number
}

/** The columns of a {@link StoredEvent}, by its names. */
export const COLUMNS = `tx_hash AS txHash, position, kind, account, token, amount_wei AS amountWei, nonce,
  block, block_hash AS blockHash, is_there AS isOnChain, seen_at AS seenAt`

/** Reads events one at a time: there may be very many. */
export function* eachEvent(
  sql: SqlStorage,
  where: string,
  ...bindings: (string | number)[]
): Iterable<StoredEvent> {
  const query = `SELECT ${COLUMNS} FROM logs ${where}`
  for (const row of sql.exec<Stored<StoredEvent>>(query, ...bindings)) yield storedEvent(row)
}

export function storedEvent(row: Stored<StoredEvent>): StoredEvent {
  return { ...row, amountWei: BigInt(row.amountWei), isOnChain: row.isOnChain === 1 }
}

/** Returns whether an event is delivered to a ledger. The relayer reports the others. */
export function isMovement({ kind }: VaultEvent): boolean {
  return kind === 'deposited' || kind === 'funded' || kind === 'house-withdrawn'
}

/** Parses JSON text whose amounts are decimal text. */
export function parseAmounts<T>(text: string): T {
  return JSON.parse(text, (_, value: unknown) =>
    typeof value === 'string' ? BigInt(value) : value,
  ) as T
}
