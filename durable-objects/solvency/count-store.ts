import type { VaultHoldings } from '../../src/chain/vault.ts'
import { amountTexts, readAmounts, type PerToken } from '../../src/money/token.ts'
import type { CountedVault } from '../../src/solvency/statement.ts'
import { firstRow } from '../kernel/rows.ts'
import type { Debts } from './debts.ts'

/**
 * A count that takes several stages: its epoch, when it began, the vault's holdings then, the wallets to ask, and how
 * far it has read. `counting_recent` has the recent wallets that don't fit into the row of the count.
 */
const TABLES = `
  CREATE TABLE counting (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    epoch INTEGER NOT NULL,
    at INTEGER NOT NULL,
    held TEXT NOT NULL,
    recent TEXT NOT NULL,
    after TEXT NOT NULL,
    leaves INTEGER NOT NULL,
    record_rows INTEGER NOT NULL,
    partner TEXT NOT NULL
  ) STRICT;
  CREATE TABLE counting_recent (piece INTEGER PRIMARY KEY, wallets TEXT NOT NULL) STRICT;
`

/** A row has at most 2 MB. */
const WALLETS_PER_ROW = 20_000

/** A count of all debts that has begun. */
export interface Count {
  epoch: number
  /** In unix milliseconds. */
  at: number
  /** The vault's holdings, and which vault it is. */
  held: VaultHoldings & { contract: CountedVault }
  /** The wallets whose ledgers are asked however new their positions are. */
  recent: ReadonlySet<string>
  debts: Debts
}

type CountRow = {
  epoch: number
  at: number
  held: string
  recent: string
  after: string
  leaves: number
  recordRows: number
  partner: string
}

/** The count under way. Every method that writes runs in its caller's transaction. */
export class CountStore {
  readonly migration = { id: 'solvency-count', sql: TABLES }
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Returns when the current count began, or null if no count is in progress. */
  beganAt(): number | null {
    return firstRow(this.#sql.exec<{ at: number }>('SELECT at FROM counting'))?.at ?? null
  }

  /** Returns the current count, or null if none is in progress. */
  read(): Count | null {
    const row = firstRow(
      this.#sql.exec<CountRow>(
        `SELECT epoch, at, held, recent, after, leaves, record_rows AS recordRows, partner
         FROM counting`,
      ),
    )
    if (!row) return null
    const more = this.#sql
      .exec<{ wallets: string }>('SELECT wallets FROM counting_recent')
      .toArray()
    const { holdings, ...block } = JSON.parse(row.held) as Omit<Count['held'], 'holdings'> & {
      holdings: PerToken<string>
    }
    return {
      epoch: row.epoch,
      at: row.at,
      held: { ...block, holdings: readAmounts(holdings) },
      recent: new Set(
        [row.recent, ...more.map(({ wallets }) => wallets)].flatMap(
          (wallets) => JSON.parse(wallets) as string[],
        ),
      ),
      debts: {
        count: row.leaves,
        rows: row.recordRows,
        after: row.after,
        isComplete: false,
        partner: readAmounts(JSON.parse(row.partner) as PerToken<string>),
      },
    }
  }

  save({ epoch, at, held, recent, debts }: Count): void {
    const wallets = [...recent]
    this.#sql.exec(
      `INSERT OR REPLACE INTO counting
         (id, epoch, at, held, recent, after, leaves, record_rows, partner)
       VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)`,
      epoch,
      at,
      JSON.stringify({ ...held, holdings: amountTexts(held.holdings) }),
      JSON.stringify(wallets.slice(0, WALLETS_PER_ROW)),
      debts.after,
      debts.count,
      debts.rows,
      JSON.stringify(amountTexts(debts.partner)),
    )
    for (let from = WALLETS_PER_ROW; from < wallets.length; from += WALLETS_PER_ROW)
      this.#sql.exec(
        'INSERT OR REPLACE INTO counting_recent (piece, wallets) VALUES (?, ?)',
        from / WALLETS_PER_ROW,
        JSON.stringify(wallets.slice(from, from + WALLETS_PER_ROW)),
      )
  }

  remove(): void {
    this.#sql.exec('DELETE FROM counting')
    this.#sql.exec('DELETE FROM counting_recent')
  }
}
