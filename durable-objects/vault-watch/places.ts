import type { VaultEvent } from '../../src/vault/events.ts'
import { eachEvent, isMovement, type StoredEvent } from './rows.ts'
import type { EventSums } from './sums.ts'

/**
 * The places of the events, each a position in a transaction. A transaction that is mined again may have other events
 * there: the movements that they replace have been credited and stay known as missing. Every method runs in its
 * caller's transaction.
 */
export class Places {
  readonly #sql: SqlStorage
  readonly #sums: EventSums

  constructor(sql: SqlStorage, sums: EventSums) {
    this.#sql = sql
    this.#sums = sums
  }

  /** See {@link VaultWatchStore.put}. */
  put(events: readonly VaultEvent[], at: number): VaultEvent[] {
    const unknown = events.filter((event) => {
      const kept = this.#inPlaceOf(event)
      return !kept?.isOnChain || kept.blockHash !== event.blockHash || !isSameMovement(kept, event)
    })
    // Before any of them is stored: a transaction that is mined again may have the same events in other places.
    const replaced = unknown.flatMap((event) => this.#makeRoomFor(event))
    return [...replaced, ...unknown.filter((event) => this.#store(event, at))]
  }

  /** Returns the stored event in an event's place; undefined if the place is free. */
  #inPlaceOf({ txHash, position }: VaultEvent): StoredEvent | undefined {
    return [...eachEvent(this.#sql, 'WHERE tx_hash = ? AND position = ?', txHash, position)][0]
  }

  /** Moves a different movement out of an event's place: keeps it as missing, below all other places. Returns it. */
  #makeRoomFor(event: VaultEvent): StoredEvent[] {
    const kept = this.#inPlaceOf(event)
    if (!kept || isSameMovement(kept, event)) return []
    if (kept.isOnChain) this.#sums.remove(kept)
    this.#sql.exec(
      isMovement(kept)
        ? `UPDATE logs SET is_there = 0,
             position = (SELECT min(0, min(position)) - 1 FROM logs WHERE tx_hash = ?1)
           WHERE tx_hash = ?1 AND position = ?2`
        : 'DELETE FROM logs WHERE tx_hash = ? AND position = ?',
      kept.txHash,
      kept.position,
    )
    return [kept]
  }

  /** Stores an event in its place. Returns whether that changes anything for its ledger. */
  #store(event: VaultEvent, at: number): boolean {
    const kept = this.#inPlaceOf(event)
    if (!kept) this.#endMissing(event)
    this.#sql.exec(
      `INSERT OR REPLACE INTO logs
         (tx_hash, position, kind, account, token, amount_wei, nonce, block, block_hash, is_there,
          seen_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)`,
      event.txHash,
      event.position,
      event.kind,
      event.account,
      event.token,
      event.amountWei.toString(),
      event.nonce,
      event.block,
      event.blockHash,
      kept?.isOnChain ? kept.seenAt : at,
    )
    if (kept?.isOnChain) this.#sums.remove(kept)
    this.#sums.add(event)
    return !kept?.isOnChain
  }

  /**
   * Forgets one missing movement of a transaction that is back in another place. Names the index, because SQLite would
   * otherwise read all events of the transaction, and anybody may make many with one.
   */
  #endMissing({ txHash, account, kind, token, amountWei, nonce }: VaultEvent): void {
    this.#sql.exec(
      `DELETE FROM logs WHERE tx_hash = ?1 AND position = (
         SELECT min(position) FROM logs INDEXED BY logs_missing WHERE tx_hash = ?1 AND is_there = 0
           AND account = ?2 AND kind = ?3 AND token IS ?4 AND amount_wei = ?5 AND nonce IS ?6)`,
      txHash,
      account,
      kind,
      token,
      amountWei.toString(),
      nonce,
    )
  }
}

/** A transaction mined again in another block may move a different amount. */
function isSameMovement(a: VaultEvent, b: VaultEvent): boolean {
  return (
    a.kind === b.kind &&
    a.account === b.account &&
    a.token === b.token &&
    a.amountWei === b.amountWei &&
    a.nonce === b.nonce
  )
}
