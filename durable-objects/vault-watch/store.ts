import type { Hash } from 'viem'
import type { Block } from '../../src/chain/logs.ts'
import type { ChainFacts } from '../../src/health/facts.ts'
import { listsOf } from '../../src/history/wallet-lists.ts'
import type { VaultTransaction } from '../../src/ledger/deposit.ts'
import type { PerToken, Token } from '../../src/money/token.ts'
import type { MissingSince, VaultEvent, VaultTotals } from '../../src/vault/events.ts'
import { firstRow } from '../kernel/rows.ts'
import { textOf, type Stored } from '../kernel/stored.ts'
import { Places } from './places.ts'
import { eachEvent, parseAmounts, type StoredEvent } from './rows.ts'
import { EventSums } from './sums.ts'

/** How a player's withdrawal nonce was used up, according to the vault's events. */
export interface NonceUse {
  kind: 'withdrawn' | 'burned'
  txHash: Hash
  block: number
  /** Null where the nonce was burned. */
  token: Token | null
  amountWei: bigint | null
  /** Whether the chain can no longer change it. */
  isSettled: boolean
  /** The player's next nonce in the vault according to its settled events. */
  nextNonce: number
}

/**
 * `logs` holds every event that moved tokens or used up a nonce. `is_there` is 0 while the chain lacks it, `position`
 * is below 0 if another movement has its place, and `seen_at` is when it was first read in its present form.
 * `transactions` holds the reports to each wallet's ledger: `version` rises with each change, and `told` is the version
 * that the ledger confirmed at `told_at`. `is_credited` is 1 once the ledger has said that it has credited some of it.
 * `marks` holds the blocks that were read, until they are old enough to settle. `settled` is the block up
 * to which nothing is read again. `checks` has one row: when everything that was read last agreed with the contract,
 * and the newest block then.
 */
const TABLES = `
  CREATE TABLE logs (
    tx_hash TEXT NOT NULL,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    account TEXT NOT NULL,
    token TEXT,
    amount_wei TEXT NOT NULL,
    nonce INTEGER,
    block INTEGER NOT NULL,
    block_hash TEXT NOT NULL,
    is_there INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (tx_hash, position)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX logs_by_block ON logs (block);
  CREATE INDEX logs_by_account ON logs (account, kind);
  CREATE INDEX logs_missing ON logs (account) WHERE is_there = 0;
  CREATE TABLE transactions (
    account TEXT NOT NULL,
    tx_hash TEXT NOT NULL,
    version INTEGER NOT NULL,
    told INTEGER NOT NULL,
    told_at INTEGER NOT NULL DEFAULT 0,
    is_credited INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (account, tx_hash)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX transactions_untold ON transactions (account) WHERE told < version;
  CREATE TABLE players (
    account TEXT PRIMARY KEY,
    credited_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX players_by_time ON players (credited_at);
  CREATE TABLE marks (
    block INTEGER PRIMARY KEY,
    hash TEXT NOT NULL,
    read_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE settled (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    block INTEGER NOT NULL,
    hash TEXT,
    totals TEXT NOT NULL
  ) STRICT;
  CREATE TABLE checks (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    checked_at INTEGER NOT NULL,
    block INTEGER NOT NULL,
    block_at INTEGER NOT NULL
  ) STRICT;
`

const RENEW_EVERY_MS = 60_000
/** Accounts with movements that the chain has dropped are listed in pages. */
const MISSING_PAGE = 20

/** A block and the hash it had when it was read. */
export interface Mark {
  block: number
  hash: string
}

/** The block up to which all blocks are settled; its hash is null before the vault's first block. */
export interface SettledBlock {
  block: number
  hash: string | null
  totals: PerToken<VaultTotals>
}

/** The watch's record of the chain. Every method runs in its caller's transaction. */
export class VaultWatchStore {
  readonly migration = { id: 'vault-watch', sql: TABLES }
  readonly sums: EventSums
  readonly #sql: SqlStorage
  readonly #places: Places

  constructor(sql: SqlStorage) {
    this.#sql = sql
    this.sums = new EventSums(sql)
    this.#places = new Places(sql, this.sums)
  }

  settled(): SettledBlock | null {
    const row = firstRow(
      this.#sql.exec<Stored<SettledBlock>>('SELECT block, hash, totals FROM settled'),
    )
    return row ? { ...row, totals: parseAmounts(row.totals) } : null
  }

  settle({ block, hash, totals }: SettledBlock): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO settled (id, block, hash, totals) VALUES (1, ?, ?, ?)',
      block,
      hash,
      textOf(totals),
    )
    this.#sql.exec('DELETE FROM marks WHERE block <= ?', block)
  }

  /** Marks a block as read. A block read again keeps its age, as it may stay the newest on a quiet chain. */
  addMark({ block, hash }: Mark, readAt: number): void {
    this.#sql.exec(
      `INSERT INTO marks (block, hash, read_at) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET hash = excluded.hash, read_at = excluded.read_at
         WHERE hash <> excluded.hash`,
      block,
      hash,
      readAt,
    )
  }

  /** Returns the newest block that was read at or before a time. */
  newestMark(readBy: number): Mark | null {
    return firstRow(
      this.#sql.exec<Stored<Mark>>(
        'SELECT block, hash FROM marks WHERE read_at <= ? ORDER BY block DESC LIMIT 1',
        readBy,
      ),
    )
  }

  /** Records that everything up to a block was read and agrees with the contract. */
  noteCheck({ number, at: blockAt }: Block, at: number): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO checks (id, checked_at, block, block_at) VALUES (1, ?, ?, ?)',
      at,
      number,
      blockAt,
    )
  }

  /** Records that there was nothing more to read, at most once a minute. */
  renewCheck(at: number): void {
    this.#sql.exec(
      'UPDATE checks SET checked_at = ? WHERE checked_at <= ?',
      at,
      at - RENEW_EVERY_MS,
    )
  }

  /** Returns the last check, with nulls before the first, and the size of the database. */
  lastCheck(): Omit<ChainFacts, 'untold'> {
    const row = firstRow(
      this.#sql.exec<{ checkedAt: number; block: number; blockAt: number }>(
        'SELECT checked_at AS checkedAt, block, block_at AS blockAt FROM checks',
      ),
    )
    const check = row ?? { checkedAt: null, block: null, blockAt: null }
    return { ...check, databaseBytes: this.#sql.databaseSize }
  }

  forgetMarks(): void {
    this.#sql.exec('DELETE FROM marks')
  }

  /**
   * Stores events from the chain. Returns those that change for ledgers, and those that they replace, which may be
   * other wallets'.
   */
  put(events: readonly VaultEvent[], at: number): VaultEvent[] {
    return this.#places.put(events, at)
  }

  /** Records that the chain no longer has an event. */
  miss(event: VaultEvent): void {
    this.#sql.exec(
      'UPDATE logs SET is_there = 0 WHERE tx_hash = ? AND position = ?',
      event.txHash,
      event.position,
    )
    this.sums.remove(event)
  }

  /** Reads the events on the chain after one block up to another, one at a time: there may be very many. */
  between(after: number, upTo: number): Iterable<StoredEvent> {
    return eachEvent(this.#sql, 'WHERE block > ? AND block <= ? AND is_there = 1', after, upTo)
  }

  /** Returns the block of the event that follows a number of others after a block; null if there are fewer. */
  blockAfter(after: number, count: number): number | null {
    return (
      firstRow(
        this.#sql.exec<{ block: number }>(
          'SELECT block FROM logs WHERE block > ? ORDER BY block LIMIT 1 OFFSET ?',
          after,
          count,
        ),
      )?.block ?? null
    )
  }

  /** Returns one wallet's events of a transaction. */
  ofTransaction(account: string, txHash: string): StoredEvent[] {
    return this.#logs('WHERE tx_hash = ? AND account = ? ORDER BY position', txHash, account)
  }

  /** Returns the next accounts with movements that the chain has dropped, the oldest first. */
  missing(after: MissingSince | null): MissingSince[] {
    return this.#sql
      .exec<Stored<MissingSince>>(
        `SELECT account, min(seen_at) AS since FROM logs
         WHERE is_there = 0 AND kind IN ('deposited', 'funded', 'house-withdrawn')
         GROUP BY account HAVING (since, account) > (?, ?) ORDER BY since, account LIMIT ?`,
        after?.since ?? -1,
        after?.account ?? '',
        MISSING_PAGE,
      )
      .toArray()
  }

  /** Returns the event that used up a player's nonce, or null. */
  nonceUse(player: string, nonce: number): StoredEvent | null {
    const [event] = this.#logs(
      `WHERE account = ? AND kind IN ('withdrawn', 'burned') AND nonce = ? AND is_there = 1`,
      player,
      nonce,
    )
    return event ?? null
  }

  /** Returns the nonce after the last one of a player's that events up to a block use; 0 if they use none. */
  nextNonce(player: string, upTo: number): number {
    return this.#sql
      .exec<{ next: number }>(
        `SELECT coalesce(max(nonce) + 1, 0) AS next FROM logs
         WHERE account = ? AND kind IN ('withdrawn', 'burned') AND block <= ? AND is_there = 1`,
        player,
        upTo,
      )
      .one().next
  }

  /** Records that a transaction has changed for its ledger. */
  change(account: string, txHash: string): void {
    this.#sql.exec(
      `INSERT INTO transactions (account, tx_hash, version, told) VALUES (?, ?, 1, 0)
       ON CONFLICT DO UPDATE SET version = version + 1`,
      account,
      txHash,
    )
  }

  /** Returns a transaction's newest version, and whether its ledger has said that it has credited any of it. */
  reported(account: string, txHash: string): { version: number; isCredited: boolean } {
    const { version, isCredited } = this.#sql
      .exec<{ version: number; isCredited: number }>(
        `SELECT version, is_credited AS isCredited FROM transactions
         WHERE account = ? AND tx_hash = ?`,
        account,
        txHash,
      )
      .one()
    return { version, isCredited: isCredited === 1 }
  }

  /**
   * Records that an account's ledger has confirmed a version of a transaction.
   * @param isCredited whether it says that it has credited any of it; one that has gone back may have forgotten that
   */
  told(account: string, report: VaultTransaction, isCredited: boolean, at: number) {
    this.#sql.exec(
      `UPDATE transactions
       SET is_credited = ? OR is_credited, told = max(told, ?), told_at = ?
       WHERE account = ? AND tx_hash = ?`,
      Number(isCredited),
      report.version,
      at,
      account,
      report.txHash,
    )
  }

  /** Returns accounts whose ledgers have not confirmed the newest version of some transaction. */
  untoldAccounts(limit: number): string[] {
    return this.#accounts(
      `SELECT DISTINCT account FROM transactions INDEXED BY transactions_untold
       WHERE told < version LIMIT ?`,
      limit,
    )
  }

  /** Returns transactions whose newest version an account's ledger has not confirmed. */
  untold(account: string, limit: number): string[] {
    return this.#hashes(
      `SELECT tx_hash AS txHash FROM transactions INDEXED BY transactions_untold
       WHERE account = ? AND told < version LIMIT ?`,
      account,
      limit,
    )
  }

  /** Returns all of a wallet's transactions. */
  transactionsOf(account: string): string[] {
    return this.#hashes('SELECT tx_hash AS txHash FROM transactions WHERE account = ?', account)
  }

  /** Records when a player's first deposit was credited. */
  credited(account: string, at: number): void {
    this.#sql.exec(
      'INSERT OR IGNORE INTO players (account, credited_at) VALUES (?, ?)',
      account,
      at,
    )
  }

  /** Returns the wallets with deposits after a given wallet, in ascending order. */
  players(after: string, limit: number): string[] {
    return this.#accounts(
      'SELECT account FROM players WHERE account > ? ORDER BY account LIMIT ?',
      after,
      limit,
    )
  }

  /** Counts the wallets with deposits, excluding some. */
  countPlayers(except: string[]): number {
    const among = (where: string, ...bindings: string[]) =>
      this.#sql
        .exec<{ count: number }>(`SELECT count(*) AS count FROM players${where}`, ...bindings)
        .one().count
    return listsOf(except).reduce(
      (left, list) => left - among(' WHERE account IN (SELECT value FROM json_each(?))', list),
      among(''),
    )
  }

  /**
   * Returns wallets whose ledger or position may differ from the chain: those with events after a block, with
   * undelivered or missing ones, or with a first deposit credited at or after a time.
   */
  unsettledAccounts(afterBlock: number, creditedFrom: number): string[] {
    return this.#accounts(
      // For a UNION, SQLite would read all events in the order of their accounts.
      `SELECT DISTINCT account FROM (
         SELECT account FROM logs WHERE block > ?
         UNION ALL SELECT account FROM logs WHERE is_there = 0
         UNION ALL SELECT account FROM transactions WHERE told < version
         UNION ALL SELECT account FROM players WHERE credited_at >= ?
       )`,
      afterBlock,
      creditedFrom,
    )
  }

  #accounts(query: string, ...bindings: (string | number)[]): string[] {
    return this.#sql
      .exec<{ account: string }>(query, ...bindings)
      .toArray()
      .map(({ account }) => account)
  }

  #hashes(query: string, ...bindings: (string | number)[]): string[] {
    return [...this.#sql.exec<{ txHash: string }>(query, ...bindings)].map(({ txHash }) => txHash)
  }

  #logs(where: string, ...bindings: (string | number)[]): StoredEvent[] {
    return [...eachEvent(this.#sql, where, ...bindings)]
  }
}
