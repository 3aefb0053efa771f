import { retried } from '../../src/calls/call.ts'
import { ledger, partnerIdsShard } from '../../src/calls/objects.ts'
import { loadConfig } from '../../src/config/load.ts'
import { operationId } from '../../src/ledger/operation.ts'
import { isTransaction } from '../../src/ledger/transfer.ts'
import { logFault } from '../../src/log.ts'
import { SHARDS } from '../../src/wallet-bridge/ids.ts'
import type { Part } from '../kernel/kernel.ts'
import type { LostTransfer } from '../ledger/lost-transfers.ts'

/** The ids, as operations of a ledger, that partners had used and the ledger lacked before it went back. */
const TABLE = `
  CREATE TABLE unused_ids (
    wallet TEXT NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (wallet, id)
  ) STRICT, WITHOUT ROWID;
`

/**
 * The most ids in a call. With the longest ids and requests that is a megabyte, and a second's work for a ledger that
 * has lost all of them.
 */
const PAGE = 2_500

/**
 * The partners' ids that a ledger loses by going back. They are looked for page by page, because a wallet may have
 * hundreds of thousands.
 */
export class LostIds implements Part {
  readonly migration = { id: 'restorations-unused-ids', sql: TABLE }
  readonly #sql: SqlStorage
  readonly #env: Env
  readonly #object: string

  constructor(sql: SqlStorage, env: Env, object: string) {
    this.#sql = sql
    this.#env = env
    this.#object = object
  }

  /**
   * Notes the ids that a wallet's ledger lacks before it goes back, until a call to it fails. Drop older notes first.
   */
  async noteUnused(wallet: string): Promise<void> {
    for await (const page of this.#used(wallet)) {
      let unused: string[]
      try {
        unused = await this.#lackedOf(wallet, page.map(keyOf))
      } catch (fault) {
        logFault('ledger_standing_unknown', fault, { object: this.#object, wallet })
        return
      }
      this.#sql.exec(
        'INSERT INTO unused_ids (wallet, id) SELECT ?, value FROM json_each(?)',
        wallet,
        JSON.stringify(unused),
      )
    }
  }

  /** Drops the ids noted for a wallet. */
  drop(wallet: string): void {
    this.#sql.exec('DELETE FROM unused_ids WHERE wallet = ?', wallet)
  }

  /** Has a ledger that has gone back mark the ids that it lacks, except those that were unused. Safe to repeat. */
  async mark(actId: string, wallet: string): Promise<void> {
    // Transactions first: marking a lost rollback depends on its original, which may be on a later page.
    for (const isTransactions of [true, false]) {
      for await (const page of this.#used(wallet)) {
        const used = page.filter(({ request }) => isTransaction(request) === isTransactions)
        if (used.length === 0) continue
        const lacked = await this.#lackedOf(wallet, used.map(keyOf))
        const lost = this.#withoutUnused(wallet, lacked)
        const transfers = used.filter((transfer) => lost.has(keyOf(transfer)))
        if (transfers.length === 0) continue
        await retried(async () => ledger(this.#env, wallet).markLost(actId, transfers))
      }
    }
  }

  /** Returns those of some ids that the wallet's ledger lacks. */
  async #lackedOf(wallet: string, ids: string[]): Promise<string[]> {
    const { unused } = await retried(async () => ledger(this.#env, wallet).standing(0, ids))
    return unused
  }

  #withoutUnused(wallet: string, ids: readonly string[]): Set<string> {
    const lost = this.#sql.exec<{ id: string }>(
      `SELECT value AS id FROM json_each(?)
       WHERE value NOT IN (SELECT id FROM unused_ids WHERE wallet = ?)`,
      JSON.stringify(ids),
      wallet,
    )
    return new Set(lost.toArray().map(({ id }) => id))
  }

  /** Yields all ids that partners have used for the wallet. */
  async *#used(wallet: string): AsyncGenerator<LostTransfer[]> {
    for (const partner of loadConfig(this.#env).partners.keys()) {
      for (let shard = 0; shard < SHARDS; shard++) {
        for (let after = ''; ;) {
          const claims = await retried(async () =>
            partnerIdsShard(this.#env, partner, shard).claimsOf(wallet, after, PAGE),
          )
          if (claims.length > 0) yield claims.map(({ id, request }) => ({ partner, id, request }))
          if (claims.length < PAGE) break
          after = claims.at(-1)?.id ?? ''
        }
      }
    }
  }
}

function keyOf({ partner, id }: LostTransfer): string {
  return operationId('bridge', partner, id)
}
