import type { Address } from 'viem'
import { vaultWatch } from '../../src/calls/objects.ts'
import { isPrizePaid } from '../../src/chain/prizes.ts'
import type { ChainReading } from '../../src/chain/sender.ts'
import { usedNonces } from '../../src/chain/vault.ts'
import { logFault } from '../../src/log.ts'
import { endByEvents } from '../../src/relayer/payout.ts'
import type { Part } from '../kernel/kernel.ts'
import { hasRow } from '../kernel/rows.ts'
import type { Stored } from '../kernel/stored.ts'
import type { RelayerKernel } from './kernel.ts'
import type { Payout } from './payouts.ts'
import { MAX_WATCHED, WATCH_MS, WATCH_POLL_MS } from './watcher.ts'

/** An end is missing once the chain has lacked it for this long: a node that is behind lacks it, too. */
const LASTING_MS = 120_000

const TABLES = `
  CREATE TABLE ended_by_others (
    payout_id TEXT PRIMARY KEY,
    ended_at INTEGER NOT NULL,
    missing_since INTEGER
  ) STRICT, WITHOUT ROWID;
`

interface Ended {
  payoutId: string
  endedAt: number
  /** When the chain was first seen to lack it, in unix milliseconds; null if the latest reading has shown it. */
  missingSince: number | null
}

/**
 * Watches payouts that were ended by a transaction without a record here, whether the relayer or somebody else signed
 * it. If the chain drops that transaction, nobody sends it again.
 */
export class ExternalPayouts implements Part {
  readonly migration = { id: 'ended-by-others', sql: TABLES }
  readonly #kernel: RelayerKernel
  #watchedAt = -Infinity

  constructor(kernel: RelayerKernel) {
    this.#kernel = kernel
  }

  /** Records that a transaction of others has ended a payout, in the caller's transaction. */
  note(payoutId: string, at: number): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO ended_by_others (payout_id, ended_at) VALUES (?, ?)',
      payoutId,
      at,
    )
  }

  hasAny(): boolean {
    return hasRow(this.#sql.exec('SELECT 1 FROM ended_by_others LIMIT 1'))
  }

  /** Returns the watched payouts, at intervals. */
  due(): Ended[] {
    const now = this.#kernel.clock.now()
    if (now - this.#watchedAt < WATCH_POLL_MS) return []
    this.#watchedAt = now
    return this.#sql
      .exec<Stored<Ended>>(
        `SELECT payout_id AS payoutId, ended_at AS endedAt, missing_since AS missingSince
         FROM ended_by_others LIMIT ${MAX_WATCHED}`,
      )
      .toArray()
  }

  /** Has a payout made again if the chain has dropped its end, or ended otherwise if it now has another. */
  async follow(reading: ChainReading, { payoutId, endedAt, missingSince }: Ended): Promise<void> {
    const { clock, payouts } = this.#kernel
    const payout = payouts.get(payoutId)
    const isThere = await this.#isThere(reading, payout)
    const now = clock.now()
    if (!isThere) {
      if (missingSince === null) this.#setMissing(payoutId, now)
      else if (now - missingSince >= LASTING_MS) this.#reopen(payout)
      return
    }
    if (missingSince !== null) this.#setMissing(payoutId, null)
    if (now - endedAt < WATCH_MS) return
    if (await this.#isAsKnown(reading, payout)) this.#forget(payoutId)
    else this.#reopen(payout)
  }

  /**
   * Returns whether the newest block shows a payout's end. True for a payout with a watched transaction of its own,
   * which the watcher follows instead.
   */
  async #isThere({ vault }: ChainReading, { id, order }: Payout): Promise<boolean> {
    if (this.#kernel.transactions.hasWatched(id)) return true
    switch (order.kind) {
      case 'withdrawal': {
        if (order.vaultId !== vault.id) return true
        return (await usedNonces(vault, order.player as Address)) > order.nonce
      }
      case 'prize':
        return isPrizePaid(vault, order)
      case 'result':
      case 'cancel':
        return true
    }
  }

  /** Returns whether the vault's events still show the end that a payout has. */
  async #isAsKnown({ vault }: ChainReading, { order, state }: Payout): Promise<boolean> {
    if (order.kind !== 'withdrawal' || order.vaultId !== vault.id) return true
    const watch = vaultWatch(this.#kernel.env, vault.id)
    return endByEvents(order, await watch.nonceUse(order.player as Address, order.nonce)) === state
  }

  /** Lets the payer decide again, unless operators have closed the payout or a transaction of its own is under way. */
  #reopen({ id, step }: Payout): void {
    const { owner, payouts } = this.#kernel
    this.#kernel.transact(() => {
      this.#forget(id)
      if (!this.#kernel.applyEvent(payouts.get(id), { kind: 'dropped' })) return
      logFault('payout_end_dropped', 'reorganised', { object: owner.object, id, step })
    })
  }

  #setMissing(payoutId: string, since: number | null): void {
    this.#sql.exec(
      'UPDATE ended_by_others SET missing_since = ? WHERE payout_id = ?',
      since,
      payoutId,
    )
  }

  #forget(payoutId: string): void {
    this.#sql.exec('DELETE FROM ended_by_others WHERE payout_id = ?', payoutId)
  }

  get #sql(): SqlStorage {
    return this.#kernel.storage.sql
  }
}
