import type { Balances } from '../ledger/accounts.ts'
import { TOKENS } from '../money/token.ts'
import { parts } from './bankroll.ts'

/**
 * Writes a ledger's latest balances. `version` is the ledger's journal length, so that an older position
 * arriving late changes nothing.
 */
export async function savePosition(
  db: D1Database,
  position: {
    wallet: string
    version: number
    balances: Balances
    unresolved: boolean
    /** Whether a deposit has ever been credited. */
    hasDeposited: boolean
    at: number
  },
): Promise<void> {
  const { wallet, version, balances, unresolved, hasDeposited, at } = position
  const upsert = db.prepare(
    `INSERT INTO ledger_positions
       (wallet, token, version, accounts, unresolved, has_deposited, updated_at,
        owed_high, owed_low, house_high, house_low, vault_high, vault_low,
        partner_high, partner_low)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (wallet, token) DO UPDATE
       SET version = excluded.version, accounts = excluded.accounts,
           unresolved = excluded.unresolved, has_deposited = excluded.has_deposited,
           updated_at = excluded.updated_at,
           owed_high = excluded.owed_high, owed_low = excluded.owed_low,
           house_high = excluded.house_high, house_low = excluded.house_low,
           vault_high = excluded.vault_high, vault_low = excluded.vault_low,
           partner_high = excluded.partner_high, partner_low = excluded.partner_low
       WHERE excluded.version >= ledger_positions.version`,
  )
  await db.batch(
    TOKENS.map((token) => {
      const accounts = JSON.stringify(balances[token], (_, value: unknown) =>
        typeof value === 'bigint' ? value.toString() : value,
      )
      const { chips, in_play: inPlay, withdrawing, house, fees, vault, partner } = balances[token]
      return upsert.bind(
        ...[wallet, token, version, accounts, unresolved ? 1 : 0, hasDeposited ? 1 : 0, at],
        ...parts(chips + inPlay + withdrawing),
        ...parts(house + fees),
        ...parts(-vault),
        ...parts(partner),
      )
    }),
  )
}

/** Returns the wallets with a position, in ascending order, after a given wallet. */
export async function listedWallets(
  db: D1Database,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT wallet FROM ledger_positions WHERE wallet > ? AND token = ? ORDER BY wallet LIMIT ?`,
    )
    .bind(after ?? '', TOKENS[0], limit)
    .all<{ wallet: string }>()
  return results.map(({ wallet }) => wallet)
}

/** Returns the wallets in a list that lack a position for some token. */
export async function unlistedWallets(db: D1Database, wallets: string[]): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT value AS wallet FROM json_each(?1) AS asked
       WHERE (SELECT count(*) FROM ledger_positions WHERE wallet = asked.value) < ?2`,
    )
    .bind(JSON.stringify(wallets), TOKENS.length)
    .all<{ wallet: string }>()
  return results.map(({ wallet }) => wallet)
}

/**
 * Returns some wallets with a bet that has been unresolved since before a time. Picks them at random, so
 * that permanently stuck wallets never hold up the others.
 */
export async function unresolvedWallets(
  db: D1Database,
  before: number,
  limit: number,
): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT DISTINCT wallet FROM ledger_positions
       WHERE unresolved = 1 AND updated_at < ? ORDER BY random() LIMIT ?`,
    )
    .bind(before, limit)
    .all<{ wallet: string }>()
  return results.map(({ wallet }) => wallet)
}
