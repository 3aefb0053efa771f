import type { BankrollFacts } from '../../src/health/facts.ts'
import type { PositionSums } from '../../src/history/bankroll.ts'
import { perToken, TOKENS, type PerToken } from '../../src/money/token.ts'
import { transact } from '../kernel/transact.ts'

const TABLES = `
  CREATE TABLE bankroll (
    token TEXT PRIMARY KEY,
    amount_wei TEXT NOT NULL,
    owed_wei TEXT NOT NULL,
    result_wei TEXT NOT NULL,
    wallets INTEGER NOT NULL,
    counted_at INTEGER NOT NULL,
    first_counted_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`

/** The house as counted, in smallest units. */
export interface HouseCount {
  ok: true
  bankroll: PerToken<bigint>
  /** The house's total winnings from players so far. */
  results: PerToken<bigint>
}

/** A token's row of the last count, as decimal text. */
type TokenCount = {
  token: string
  bankrollWei: string
  owedWei: string
  resultWei: string
  wallets: number
  countedAt: number
  firstCountedAt: number
}

type CountFacts = Omit<BankrollFacts, 'isValid' | 'doubt' | 'reconciliation' | 'databaseBytes'>

/** The last count of the bankroll, and when the first one was. */
export class BankrollStore {
  readonly migration = { id: 'bankroll', sql: TABLES }
  readonly #storage: DurableObjectStorage

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  /** Returns the last count; null before the first. */
  last(): HouseCount | null {
    const rows = this.#rows()
    if (rows.length === 0) return null
    const of = (amount: 'bankrollWei' | 'resultWei') =>
      perToken((token) => BigInt(rows.find((row) => row.token === token)?.[amount] ?? 0))
    return { ok: true, bankroll: of('bankrollWei'), results: of('resultWei') }
  }

  /** Returns the facts that the bankroll's health follows from. */
  facts(): CountFacts {
    const rows = this.#rows()
    const of = (amount: 'bankrollWei' | 'owedWei' | 'resultWei') =>
      perToken((token) => rows.find((row) => row.token === token)?.[amount] ?? '0')
    return {
      countedAt: rows[0]?.countedAt ?? null,
      firstCountedAt: rows[0]?.firstCountedAt ?? null,
      wallets: rows[0]?.wallets ?? 0,
      owedWei: of('owedWei'),
      bankrollWei: of('bankrollWei'),
      resultWei: of('resultWei'),
    }
  }

  save(
    { bankroll, results }: Omit<HouseCount, 'ok'>,
    { totals, wallets }: PositionSums,
    now: number,
  ): void {
    const first = this.#rows()[0]?.firstCountedAt ?? now
    transact(this.#storage, () => {
      for (const token of TOKENS) {
        this.#storage.sql.exec(
          `INSERT OR REPLACE INTO bankroll
             (token, amount_wei, owed_wei, result_wei, wallets, counted_at, first_counted_at)
           VALUES (?, ?, ?, ?, ?, ?, ?)`,
          token,
          bankroll[token].toString(),
          totals[token].owedWei.toString(),
          results[token].toString(),
          wallets,
          now,
          first,
        )
      }
    })
  }

  /** Returns a row for each token; none before the first count. */
  #rows(): TokenCount[] {
    return this.#storage.sql
      .exec<TokenCount>(
        `SELECT token, amount_wei AS bankrollWei, owed_wei AS owedWei, result_wei AS resultWei,
           wallets, counted_at AS countedAt, first_counted_at AS firstCountedAt FROM bankroll`,
      )
      .toArray()
  }
}
