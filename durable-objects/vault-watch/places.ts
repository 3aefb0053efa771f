import type { VaultEvent } from '../../src/vault/events.ts'
import { eachEvent, isMovement, type StoredEvent } from './rows.ts'
import type { EventSums } from './sums.ts'

/**
 * The places of the logs, each a position in a transaction. A transaction that is mined again may have other logs there: what
 * they replace has been credited and stays known as missing. Every method runs in its caller's transaction.
 */
export class Places {
  readonly #sql: SqlStorage
  readonly #sums: EventSums

  constructor(sql: SqlStorage, sums: EventSums) {
    this.#sql = sql
    this.#sums = sums
  }

  /** See {@link VaultWatchStore.put}. */
  put(logs: readonly VaultEvent[], at: number): VaultEvent[] {
    const unknown = logs.filter((log) => {
      const kept = this.#inPlaceOf(log)
      return !kept?.isThere || kept.blockHash !== log.blockHash || !isSameMovement(kept, log)
    })
    // Before any of them is stored: a transaction that is mined again may have the same logs in other places.
    const replaced = unknown.flatMap((log) => this.#makeRoomFor(log))
    return [...replaced, ...unknown.filter((log) => this.#store(log, at))]
  }

  /** Returns what is kept in a log's place; undefined if that is free. */
  #inPlaceOf({ txHash, position }: VaultEvent): StoredEvent | undefined {
    return [...eachEvent(this.#sql, 'WHERE tx_hash = ? AND position = ?', txHash, position)][0]
  }

  /** Keeps as missing, below all other places, what another movement in the place of a log has credited. Returns it. */
  #makeRoomFor(log: VaultEvent): StoredEvent[] {
    const kept = this.#inPlaceOf(log)
    if (!kept || isSameMovement(kept, log)) return []
    if (kept.isThere) this.#sums.remove(kept)
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

  /** Stores a log in its place. Returns whether that changes anything for its ledger. */
  #store(log: VaultEvent, at: number): boolean {
    const kept = this.#inPlaceOf(log)
    if (!kept) this.#endMissing(log)
    this.#sql.exec(
      `INSERT OR REPLACE INTO logs
         (tx_hash, position, kind, account, token, amount_wei, nonce, block, block_hash, is_there,
          seen_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)`,
      log.txHash,
      log.position,
      log.kind,
      log.account,
      log.token,
      log.amountWei.toString(),
      log.nonce,
      log.block,
      log.blockHash,
      kept?.isThere ? kept.seenAt : at,
    )
    if (kept?.isThere) this.#sums.remove(kept)
    this.#sums.add(log)
    return !kept?.isThere
  }

  /**
   * Forgets one missing movement of a transaction that is back in another place. Without the name of the index, SQLite reads all logs
   * of the transaction, and anybody may make many with one.
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
