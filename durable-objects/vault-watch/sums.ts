import { invariant } from '../../src/core/invariant.ts'
import { listsOf } from '../../src/history/wallet-lists.ts'
import { perToken, type PerToken } from '../../src/money/token.ts'
import {
  AccountShare,
  addEvents,
  IN_FLIGHT_MS,
  LATEST_PAYOUTS,
  netOf,
  noTotals,
  type AccountEvents,
  type SettledNet,
  type VaultEvent,
  type VaultTotals,
  type WatchedEvent,
} from '../../src/vault/events.ts'
import { textOf, type Stored } from '../kernel/stored.ts'
import {
  COLUMNS,
  eachEvent,
  isMovement,
  storedEvent,
  parseAmounts,
  type StoredEvent,
} from './rows.ts'

/**
 * `nets` holds the sum of an account's events up to a settled block. If an account has none, all its events are read.
 */
const TABLES = `
  CREATE TABLE nets (
    account TEXT PRIMARY KEY,
    block INTEGER NOT NULL,
    net TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX logs_by_account_and_block ON logs (account, block);
  CREATE INDEX transactions_by_told ON transactions (account, told_at);
`

/** The newest version of a transaction, and the one that its ledger has confirmed, and when. */
interface ReportedVersion {
  version: number
  told: number
  toldAt: number
}

interface TotalsTo {
  block: number
  totals: PerToken<VaultTotals>
}

/**
 * Sums of the events, so that no pass and no count reads them all: anybody may make many, by depositing or funding the
 * house in the smallest amounts. Every method runs in its caller's transaction.
 */
export class EventSums {
  readonly migration = { id: 'vault-watch-nets', sql: TABLES }
  readonly #sql: SqlStorage
  /** The totals of all events on the chain; null until they are needed. */
  #totals: PerToken<VaultTotals> | null = null
  /** The totals of the events up to a block, from which reading goes on; null until they are needed. */
  #read: TotalsTo | null = null

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  forget(): void {
    this.#totals = null
    this.#read = null
  }

  /** Returns and keeps the totals of the events up to a block. Reads none if {@link moveOn} has reached that block. */
  upTo(block: number, settled: TotalsTo): PerToken<VaultTotals> {
    if (this.#read?.block !== block) this.#read = { block, totals: this.totals(settled, block) }
    return this.#read.totals
  }

  /** Moves the block of {@link upTo} on, because reading goes on from there. @param events those in between */
  moveOn(block: number, events: Iterable<VaultEvent>): void {
    if (this.#read) this.#read = { block, totals: addEvents(this.#read.totals, events) }
  }

  /** Returns the totals of the events up to a block. Reads only the events after it. */
  totals(settled: TotalsTo, upTo = Number.MAX_SAFE_INTEGER): PerToken<VaultTotals> {
    this.#totals ??= addEvents(settled.totals, this.#after(settled.block))
    return addEvents(this.#totals, negated(this.#after(upTo)))
  }

  /** Counts an event that is on the chain from now on. */
  add(event: VaultEvent): void {
    if (this.#totals) this.#totals = addEvents(this.#totals, [event])
    if (this.#read && event.block <= this.#read.block) {
      this.#read.totals = addEvents(this.#read.totals, [event])
    }
    const settled = this.#settledNet(event.account)
    if (event.block <= settled.block)
      this.#save(event.account, settled.block, withEvents(settled, [event]))
  }

  /** Counts an event that the chain no longer has. */
  remove(event: VaultEvent): void {
    for (const less of negated([event])) this.add(less)
  }

  /** Takes the events after one block up to another into the sums of their accounts. */
  settle(after: number, upTo: number): void {
    const accounts = this.#sql
      .exec<{ account: string }>(
        'SELECT DISTINCT account FROM logs WHERE block > ? AND block <= ?',
        after,
        upTo,
      )
      .toArray()
    for (const { account } of accounts) {
      const settled = this.#settledNet(account)
      if (settled.block >= upTo) continue
      const where = 'WHERE account = ? AND block > ? AND block <= ? AND is_there = 1'
      const events = eachEvent(this.#sql, where, account, settled.block, upTo)
      this.#save(account, upTo, withEvents(settled, events))
    }
  }

  /**
   * Returns some accounts' shares, each from the sum of its settled events, its later events, and those earlier ones
   * that its ledger may not know. One statement for all: there may be tens of thousands of accounts.
   */
  ofAccounts(accounts: readonly string[], now: number): AccountEvents[] {
    const shares = listsOf(accounts).flatMap((list) => {
      const listed = this.#settledNets(list).map(
        ({ account, ...settled }) => [account, new AccountShare(account, settled, now)] as const,
      )
      const shareOf = new Map(listed)
      for (const event of this.#watched(list, now - IN_FLIGHT_MS)) {
        shareOf.get(event.account)?.add(event)
      }
      return listed.map(([, share]) => share)
    })
    return shares.map((share) => share.events())
  }

  /** @param accounts a JSON list */
  *#watched(accounts: string, toldFrom: number): Iterable<WatchedEvent> {
    // Without the name of the index, SQLite reads all transactions of an account; with UNION, it may read all events
    // in order.
    const rows = this.#sql.exec<Stored<StoredEvent & ReportedVersion>>(
      `WITH asked AS (
         SELECT value AS account, coalesce(block, -1) AS settled
         FROM json_each(?1) LEFT JOIN nets ON nets.account = value
       ), listed AS (
         SELECT account, tx_hash FROM asked CROSS JOIN logs USING (account) WHERE block > settled
         UNION ALL SELECT account, tx_hash
           FROM asked CROSS JOIN transactions INDEXED BY transactions_untold USING (account)
           WHERE told < version
         UNION ALL SELECT account, tx_hash FROM asked CROSS JOIN transactions USING (account)
           WHERE told_at > ?2
         UNION ALL SELECT account, tx_hash FROM (
           SELECT account, tx_hash, row_number() OVER (PARTITION BY account ORDER BY nonce DESC) AS place
           FROM asked CROSS JOIN logs USING (account) WHERE kind = 'withdrawn' AND is_there = 1
         ) WHERE place <= ?3
       )
       SELECT ${COLUMNS}, coalesce(version, 1) AS version, coalesce(told, 0) AS told,
         coalesce(told_at, 0) AS toldAt
       FROM (SELECT DISTINCT account, tx_hash FROM listed) CROSS JOIN logs USING (account, tx_hash)
         LEFT JOIN transactions USING (account, tx_hash)
       WHERE is_there = 1`,
      accounts,
      toldFrom,
      LATEST_PAYOUTS,
    )
    for (const { version, told, toldAt, ...row } of rows) {
      const event = storedEvent(row)
      if (isMovement(event)) {
        yield { ...event, toldAt: told < version ? null : toldAt, isRepeated: version > 1 }
      } else yield { ...event, toldAt: event.seenAt, isRepeated: false }
    }
  }

  #after(block: number): Iterable<VaultEvent> {
    return eachEvent(this.#sql, 'WHERE block > ? AND is_there = 1', block)
  }

  #settledNet(account: string): SettledNet {
    const [settled] = this.#settledNets(JSON.stringify([account]))
    invariant(settled, 'an account that is asked for has a sum')
    return settled
  }

  /** @param accounts a JSON list */
  #settledNets(accounts: string): (SettledNet & { account: string })[] {
    const rows = this.#sql.exec<{ account: string; block: number | null; net: string | null }>(
      `SELECT value AS account, block, net FROM json_each(?) LEFT JOIN nets ON nets.account = value`,
      accounts,
    )
    return [...rows].map(({ account, block, net }) => ({
      account,
      block: block ?? -1,
      net: net === null ? perToken(() => 0n) : parseAmounts(net),
    }))
  }

  #save(account: string, block: number, net: PerToken<bigint>): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO nets (account, block, net) VALUES (?, ?, ?)',
      account,
      block,
      textOf(net),
    )
  }
}

function* negated(events: Iterable<VaultEvent>): Iterable<VaultEvent> {
  for (const event of events) yield { ...event, amountWei: -event.amountWei }
}

function withEvents({ net }: SettledNet, events: Iterable<VaultEvent>): PerToken<bigint> {
  const more = netOf(addEvents(noTotals(), events))
  return perToken((token) => net[token] + more[token])
}
