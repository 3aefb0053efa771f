import { poolBalances } from '../../src/chain/prizes.ts'
import type { ChainReading } from '../../src/chain/sender.ts'
import { announcedRelayer, isVaultPaused } from '../../src/chain/vault.ts'
import type { LootboxConfig } from '../../src/config/config.ts'
import type { SeenConditions } from '../../src/health/facts.ts'
import { gasPrice, marketPrice } from '../../src/relayer/gas.ts'
import type { NextRelayer } from '../../src/vault/table-config.ts'
import { firstRow } from '../kernel/rows.ts'
import { textOf, type Stored } from '../kernel/stored.ts'

type SeenPool = NonNullable<SeenConditions['poolWei']>

const TABLES = `
  CREATE TABLE conditions (
    vault TEXT PRIMARY KEY,
    gas_price_wei TEXT NOT NULL,
    is_paused INTEGER NOT NULL,
    at INTEGER NOT NULL,
    market_price_wei TEXT NOT NULL,
    balance_wei TEXT NOT NULL,
    pool_wei TEXT,
    next_relayer TEXT
  ) STRICT;
`

/** While work is in progress the chain is read every two seconds. Conditions are stored less often. */
const NOTE_EVERY_MS = 15_000

/** Stores the chain's conditions for withdrawals, so that callers need no node. */
export class ConditionsStore {
  readonly migration = { id: 'conditions', sql: TABLES }
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Returns the conditions as last stored; null before the first reading. */
  read(vaultId: string): SeenConditions | null {
    const row = firstRow(
      this.#sql.exec<Stored<SeenConditions>>(
        `SELECT gas_price_wei AS gasPriceWei, is_paused AS isPaused, at, balance_wei AS balanceWei,
           pool_wei AS poolWei, next_relayer AS nextRelayer, market_price_wei AS marketPriceWei
         FROM conditions WHERE vault = ?`,
        vaultId,
      ),
    )
    if (!row) return null
    const poolWei = parsed<SeenPool>(row.poolWei)
    const nextRelayer = parsed<NextRelayer>(row.nextRelayer)
    return { ...row, isPaused: row.isPaused === 1, poolWei, nextRelayer }
  }

  /** Stores the current conditions unless the stored ones are fresh. @throws if the node does not answer */
  async note(
    { vault, market, sender, headAt }: ChainReading,
    lootbox: LootboxConfig | null,
    now: number,
  ): Promise<void> {
    const latest = this.read(vault.id)
    if (latest && now - latest.at < NOTE_EVERY_MS) return
    const [isPaused, next, pool] = await Promise.all([
      isVaultPaused(vault),
      announcedRelayer(vault, headAt),
      // A pool that is configured wrongly must not hold up withdrawals.
      lootbox && poolBalances(vault, lootbox).catch(() => null),
    ])
    this.#sql.exec(
      `INSERT OR REPLACE INTO conditions
         (vault, gas_price_wei, is_paused, at, balance_wei, pool_wei, next_relayer, market_price_wei)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      vault.id,
      gasPrice(market, vault.relayer.maxFeePerGas).toString(),
      isPaused ? 1 : 0,
      now,
      sender.balanceWei.toString(),
      pool && textOf(pool),
      next && textOf(next),
      marketPrice(market).toString(),
    )
  }
}

function parsed<T>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T)
}
