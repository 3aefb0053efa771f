import type { Act, ActName, ActResult } from '../../src/operator/act.ts'
import { standingIn, type ActRecord } from '../../src/operator/approval.ts'
import { nextEntry, type Approval, type OperatorJournalEntry } from '../../src/operator/journal.ts'
import { authorityOf, type Operators } from '../../src/operator/roles.ts'
import type { Part } from '../kernel/kernel.ts'
import type { PastWriteOff, WriteOffResult } from './wallet-acts.ts'

/**
 * The acts by their hashes, and the journal of the operators' signatures. `vault` is the vault that the act was signed
 * for, if any; `result` is null until the act has ended.
 */
const TABLES = `
  CREATE TABLE acts (
    number INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    vault TEXT,
    act TEXT NOT NULL,
    target TEXT NOT NULL,
    reason TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    decided_at INTEGER UNIQUE,
    result TEXT
  ) STRICT;
  CREATE TABLE journal (
    number INTEGER PRIMARY KEY,
    act_hash TEXT NOT NULL,
    operator TEXT NOT NULL,
    at INTEGER NOT NULL,
    entry TEXT NOT NULL,
    UNIQUE (act_hash, operator)
  ) STRICT;
  CREATE INDEX journal_of_operator ON journal (operator, at);
`

const JOURNAL_PAGE = 100
/** The most waiting acts listed per proposing operator: a leaked key must not crowd out the acts of others. */
const MAX_WAITING = 100
const MAX_DECIDED = 30

/** An act as stored. */
interface Row extends Act {
  hash: string
  vault: string | null
  act: ActName
  decidedAt: number | null
  result: string | null
}

/** The operators' acts, and the journal of their signatures. */
export class ActStore implements Part {
  readonly migration = { id: 'acts', sql: TABLES }
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  find(hash: string): ActRecord | null {
    const [row] = this.#select('WHERE hash = ?', hash)
    return row ? this.#kept(row) : null
  }

  /** Returns the vault that an act was signed for; null without one. */
  vaultOf(hash: string): string | null {
    return this.#select('WHERE hash = ?', hash)[0]?.vault ?? null
  }

  /**
   * Returns the acts that wait for another operator, then those decided, each the newest first. An act doesn't wait
   * once none of its signatures counts any more.
   */
  list(now: number, operators: Operators): { waiting: ActRecord[]; decided: ActRecord[] } {
    const waiting = this.#select(
      `WHERE number IN (
         SELECT number FROM (
           SELECT number, row_number() OVER (PARTITION BY proposer ORDER BY number DESC) AS place FROM (
             SELECT number, (
               SELECT operator FROM journal WHERE act_hash = acts.hash ORDER BY journal.number LIMIT 1
             ) AS proposer
             FROM acts WHERE decided_at IS NULL AND expires_at * 1000 > ?
           )
         ) WHERE place <= ?
       ) ORDER BY number DESC`,
      now,
      MAX_WAITING,
    )
    const decided = this.#select(
      'WHERE decided_at IS NOT NULL ORDER BY decided_at DESC LIMIT ?',
      MAX_DECIDED,
    )
    const kept = (rows: Row[]) => rows.map((row) => this.#kept(row))
    const stands = ({ approvals, needs }: ActRecord) =>
      standingIn(approvals, needs, operators).length > 0
    return { waiting: kept(waiting).filter(stands), decided: kept(decided) }
  }

  /** Returns the acts by which wallets are frozen now, the oldest first. */
  freezes(limit: number): ActRecord[] {
    const rows = this.#select(
      `WHERE act = 'freeze' AND decided_at IN (
         SELECT max(decided_at) FROM acts
         WHERE act IN ('freeze', 'unfreeze') AND decided_at IS NOT NULL GROUP BY lower(target)
       ) ORDER BY decided_at LIMIT ?`,
      limit,
    )
    return rows.map((row) => this.#kept(row))
  }

  /** Returns the newest act that set a switch; null if none has. */
  latestSetting(name: string): ActRecord | null {
    const [row] = this.#select(
      `WHERE act = 'mode' AND decided_at IS NOT NULL AND instr(target, ? || '=') > 0
       ORDER BY decided_at DESC LIMIT 1`,
      name,
    )
    return row ? this.#kept(row) : null
  }

  /** Returns the `mode` and `terms` acts that were decided before an act and not carried out, oldest first. */
  delayedBefore(hash: string): (Act & { hash: string })[] {
    return this.#select(
      `WHERE act IN ('mode', 'terms') AND result IS NULL
       AND decided_at < (SELECT decided_at FROM acts WHERE hash = ?) ORDER BY decided_at`,
      hash,
    )
  }

  /** Returns a page of the journal. @param after the number of the entry before it */
  journal(after: number): OperatorJournalEntry[] {
    return this.#entries('WHERE number > ? ORDER BY number LIMIT ?', after, JOURNAL_PAGE)
  }

  /** Returns the latest freeze or unfreeze of a wallet that was carried out, or null. */
  latestFreeze(wallet: string): { hash: string; at: number; isFrozen: boolean } | null {
    const [row] = this.#select(
      `WHERE act IN ('freeze', 'unfreeze') AND lower(target) = lower(?) AND result IS NOT NULL
       ORDER BY decided_at DESC LIMIT 1`,
      wallet,
    )
    return row && row.decidedAt !== null
      ? { hash: row.hash, at: row.decidedAt, isFrozen: row.act === 'freeze' }
      : null
  }

  /** Returns the acts that have written off deposits of a wallet, the oldest first. */
  writeOffsOf(wallet: string): PastWriteOff[] {
    return this.#select(
      `WHERE act = 'write-off' AND lower(target) = lower(?)
       AND json_extract(result, '$.isDone') ORDER BY decided_at`,
      wallet,
    ).map(({ hash, decidedAt, result }) => {
      const { writtenOff } = JSON.parse(String(result)) as WriteOffResult
      return { id: hash, at: decidedAt ?? 0, ...(writtenOff && { writtenOff }) }
    })
  }

  /** Returns whether another act is restoring a wallet's ledger: it has all its signatures, and no result yet. */
  isRestoring(wallet: string, exceptHash: string): boolean {
    const others = this.#select(
      `WHERE act = 'restore' AND decided_at IS NOT NULL AND result IS NULL
       AND lower(substr(target, 1, length(?1))) = lower(?1) AND hash <> ?2`,
      wallet,
      exceptHash,
    )
    return others.length > 0
  }

  /** Stores a new act, before its first approval. */
  propose(hash: string, vault: string | null, { act, target, reason, expiresAt }: Act): void {
    this.#sql.exec(
      `INSERT INTO acts (hash, vault, act, target, reason, expires_at) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
      hash,
      vault,
      act,
      target,
      reason,
      expiresAt,
    )
  }

  /** Writes an operator's signature into the journal, unless it is there already. */
  approve(content: Omit<OperatorJournalEntry, 'number' | 'prevHash' | 'hash'>): void {
    const { actHash, operator } = content
    if (this.#entries('WHERE act_hash = ? AND operator = ?', actHash, operator).length > 0) return
    const [latest = null] = this.#entries('ORDER BY number DESC LIMIT 1')
    const entry = nextEntry(latest, content)
    this.#sql.exec(
      'INSERT INTO journal (number, act_hash, operator, at, entry) VALUES (?, ?, ?, ?, ?)',
      entry.number,
      actHash,
      operator,
      entry.at,
      JSON.stringify(entry),
    )
  }

  /** Returns the acts that an operator has signed after a time. */
  signedSince(operator: string, after: number): Act[] {
    return this.#entries('WHERE operator = ? AND at > ?', operator, after).map(({ act }) => act)
  }

  /** Records that an act has all its signatures. No two acts have the same time, so their times give their order. */
  decide(hash: string, now: number): void {
    const { next } = this.#sql
      .exec<{ next: number }>('SELECT coalesce(max(decided_at) + 1, 0) AS next FROM acts')
      .one()
    this.#sql.exec('UPDATE acts SET decided_at = ? WHERE hash = ?', Math.max(now, next), hash)
  }

  end(hash: string, result: ActResult): void {
    this.#sql.exec('UPDATE acts SET result = ? WHERE hash = ?', JSON.stringify(result), hash)
  }

  #kept({ vault: _vault, result, ...row }: Row): ActRecord {
    const entries = this.#entries('WHERE act_hash = ? ORDER BY number', row.hash)
    const ended = result === null ? null : (JSON.parse(result) as ActResult)
    return {
      ...row,
      needs: authorityOf(row),
      approvals: entries.map(({ operator, role, at }): Approval => ({ operator, role, at })),
      result: ended && { isDone: ended.isDone, message: ended.message },
    }
  }

  #select(where: string, ...bindings: (string | number)[]): Row[] {
    return this.#sql
      .exec<Record<keyof Row, SqlStorageValue>>(
        `SELECT hash, vault, act, target, reason, expires_at AS expiresAt, decided_at AS decidedAt,
           result FROM acts ${where}`,
        ...bindings,
      )
      .toArray() as unknown as Row[]
  }

  #entries(where: string, ...bindings: (string | number)[]): OperatorJournalEntry[] {
    return this.#sql
      .exec<{ entry: string }>(`SELECT entry FROM journal ${where}`, ...bindings)
      .toArray()
      .map(({ entry }) => JSON.parse(entry) as OperatorJournalEntry)
  }
}
