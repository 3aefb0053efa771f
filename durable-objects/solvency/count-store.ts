import type { VaultHoldings } from '../../src/chain/vault.ts'
import { perToken, type PerToken } from '../../src/money/token.ts'
import type { CountedVault } from '../../src/solvency/statement.ts'
import type { Debts, RecordPage } from './debts.ts'

/**
 * A count that takes several stages: when it began, what the vault held then, whom it has to ask, and what it has
 * read so far. A page of records is one row.
 */
const TABLES = `
  CREATE TABLE counting (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    at INTEGER NOT NULL,
    held TEXT NOT NULL,
    recent TEXT NOT NULL,
    after TEXT NOT NULL,
    leaves INTEGER NOT NULL,
    partner TEXT NOT NULL
  ) STRICT;
  CREATE TABLE counted_pages (
    page INTEGER PRIMARY KEY,
    first_wallets TEXT NOT NULL,
    records BLOB NOT NULL
  ) STRICT;
`

/** A count of all debts that has begun. */
export interface Count {
  /** In unix milliseconds. */
  at: number
  /** What the vault held, and which one: a count that an earlier version began doesn't say. */
  held: VaultHoldings & { contract?: CountedVault }
  /** The wallets whose ledgers are asked however new their positions are. */
  recent: ReadonlySet<string>
  /** Without the pages that are stored already. */
  debts: Debts
}

type CountRow = {
  at: number
  held: string
  recent: string
  after: string
  leaves: number
  partner: string
}

type Texts = { ETH: string; USDG: string }

/** The count under way. Every method that writes runs in its caller's transaction. */
export class CountStore {
  readonly migration = { id: 'solvency-count', sql: TABLES }
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Returns when the current count began, or null if no count is in progress. */
  beganAt(): number | null {
    const [row] = this.#sql.exec<{ at: number }>('SELECT at FROM counting').toArray()
    return row?.at ?? null
  }

  /** Returns the current count, or null if none is in progress. */
  read(): Count | null {
    const [row] = this.#sql
      .exec<CountRow>('SELECT at, held, recent, after, leaves, partner FROM counting')
      .toArray()
    if (!row) return null
    const { holdings, ...block } = JSON.parse(row.held) as Omit<Count['held'], 'holdings'> & {
      holdings: Texts
    }
    return {
      at: row.at,
      held: { ...block, holdings: amountsOf(holdings) },
      recent: new Set(JSON.parse(row.recent) as string[]),
      debts: {
        pages: [],
        count: row.leaves,
        after: row.after,
        isComplete: false,
        partner: amountsOf(JSON.parse(row.partner) as Texts),
      },
    }
  }

  /** Stores a count with the pages that it has read since. */
  save({ at, held, recent, debts }: Count): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO counting (id, at, held, recent, after, leaves, partner)
       VALUES (1, ?, ?, ?, ?, ?, ?)`,
      ...[at, JSON.stringify({ ...held, holdings: textsOf(held.holdings) })],
      ...[JSON.stringify([...recent]), debts.after, debts.count],
      JSON.stringify(textsOf(debts.partner)),
    )
    const [{ stored }] = this.#sql
      .exec<{ stored: number }>('SELECT count(*) AS stored FROM counted_pages')
      .toArray() as [{ stored: number }]
    for (const [index, { records, firstWallets }] of debts.pages.entries()) {
      this.#sql.exec(
        'INSERT INTO counted_pages (page, first_wallets, records) VALUES (?, ?, ?)',
        ...[stored + index, JSON.stringify(firstWallets), records],
      )
    }
  }

  forget(): void {
    for (const table of ['counting', 'counted_pages']) this.#sql.exec(`DELETE FROM ${table}`)
  }

  /** Returns the pages that are stored, in order. */
  pages(): RecordPage[] {
    return this.#sql
      .exec<{ firstWallets: string; records: ArrayBuffer }>(
        'SELECT first_wallets AS firstWallets, records FROM counted_pages ORDER BY page',
      )
      .toArray()
      .map(({ firstWallets, records }) => ({
        firstWallets: JSON.parse(firstWallets) as string[],
        records: new Uint8Array(records),
      }))
  }
}

function textsOf(amounts: PerToken<bigint>): Texts {
  return perToken((token) => amounts[token].toString())
}

function amountsOf(texts: Texts): PerToken<bigint> {
  return perToken((token) => BigInt(texts[token]))
}
