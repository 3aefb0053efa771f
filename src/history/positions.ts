import { emptyBalances, HOUSE, owedTo, type Account, type Balances } from '../ledger/accounts.ts'
import type { Totals } from '../ledger/totals.ts'
import { perToken, TOKENS, type PerToken, type Token } from '../money/token.ts'
import type { Safeguards } from '../protection/safeguards.ts'
import type { Standing } from '../solvency/leaf.ts'
import { parts, whole } from './bankroll.ts'
import { listsOf } from './wallet-lists.ts'

/** A ledger's latest balances and totals. */
export interface Position {
  wallet: string
  /** The ledger's journal length, so that an older position arriving late changes nothing. */
  version: number
  /** The hash of its latest entry. A ledger that lacks this entry has gone back in time. */
  headHash: string
  balances: Balances
  totals: Totals
  unresolved: boolean
  /** Whether a deposit has ever been credited. */
  hasDeposited: boolean
  /** The nonce of its next withdrawal, and how many of those before it have not ended. */
  nextNonce: number
  openWithdrawals: number
  /** When it was read, in unix milliseconds. */
  at: number
  /** Null without any. */
  safeguards: Safeguards | null
}

/** Writes a ledger's position, unless a later one is there. */
export async function savePosition(db: D1Database, position: Position): Promise<void> {
  const rows = TOKENS.map((token) => rowOf(position, token))
  const columns = Object.keys(rows[0] ?? {})
  const changed = columns.filter((column) => column !== 'wallet' && column !== 'token')
  const upsert = db.prepare(
    `INSERT INTO ledger_positions (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
     ON CONFLICT (wallet, token) DO UPDATE
       SET ${changed.map((column) => `${column} = excluded.${column}`).join(', ')}
       WHERE excluded.version >= ledger_positions.version`,
  )
  await db.batch(rows.map((row) => upsert.bind(...Object.values(row))))
}

/** Returns a position's row for a token, by the names of its columns. */
function rowOf(position: Position, token: Token): Record<string, string | number | null> {
  const balances = position.balances[token]
  const { deposited, withdrawn } = position.totals[token]
  const { safeguards } = position
  return {
    wallet: position.wallet,
    token,
    version: position.version,
    head_hash: position.headHash,
    accounts: JSON.stringify(balances, (_, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    ),
    unresolved: position.unresolved ? 1 : 0,
    has_deposited: position.hasDeposited ? 1 : 0,
    deposited: deposited.toString(),
    withdrawn: withdrawn.toString(),
    next_nonce: position.nextNonce,
    open_withdrawals: position.openWithdrawals,
    updated_at: position.at,
    ...halves('owed', owedTo(balances)),
    ...halves('house', balances.house + balances.fees),
    ...halves('vault', -balances.vault),
    ...halves('partner', balances.partner),
    ...halves('faucet', balances.faucet),
    // A wallet's, so once for both tokens.
    safeguards: safeguards && token === TOKENS[0] ? JSON.stringify(safeguards) : null,
  }
}

/** Returns the two columns of a sum that SQL adds up. */
function halves(name: string, wei: bigint): Record<string, string> {
  const [high, low] = parts(wei)
  return { [`${name}_high`]: high, [`${name}_low`]: low }
}

/** The debt to a wallet by its position. */
export interface PlayerPosition {
  wallet: string
  standing: Standing
  /** Its debits by partners less their credits, in smallest units. */
  partner: PerToken<bigint>
  /** When its ledger read it, in unix milliseconds. */
  at: number
  unresolved: boolean
}

type PlayerRow = { wallet: string; version: number; at: number; unresolved: number } & Record<
  `${'owed' | 'partner' | 'deposited' | 'withdrawn'}${Token}`,
  string
>

/** Returns the players' positions in ascending order of their wallets, after a given wallet. */
export async function playerPositions(
  db: D1Database,
  after: string | null,
  limit: number,
): Promise<PlayerPosition[]> {
  const columns = TOKENS.flatMap((token) => [
    `${token}.owed_high || ':' || ${token}.owed_low AS owed${token}`,
    `${token}.partner_high || ':' || ${token}.partner_low AS partner${token}`,
    `${token}.deposited AS deposited${token}, ${token}.withdrawn AS withdrawn${token}`,
  ])
  const { results } = await db
    .prepare(
      `SELECT ETH.wallet, ETH.version, ETH.updated_at AS at, ETH.unresolved, ${columns.join(', ')}
       FROM ledger_positions AS ETH JOIN ledger_positions AS USDG USING (wallet)
       WHERE ETH.wallet > ? AND ETH.wallet <> ? AND ETH.token = 'ETH' AND USDG.token = 'USDG'
       ORDER BY ETH.wallet LIMIT ?`,
    )
    .bind(after ?? '', HOUSE, limit)
    .all<PlayerRow>()
  return results.map((row) => ({
    wallet: row.wallet,
    standing: {
      seq: row.version,
      owed: perToken((token) => whole(row[`owed${token}`])),
      deposited: perToken((token) => BigInt(row[`deposited${token}`])),
      withdrawn: perToken((token) => BigInt(row[`withdrawn${token}`])),
    },
    partner: perToken((token) => whole(row[`partner${token}`])),
    at: row.at,
    unresolved: row.unresolved === 1,
  }))
}

/** Returns a position as {@link playerPositions} would. */
export function playerPosition(position: Position): PlayerPosition {
  const { wallet, version, balances, totals, at, unresolved } = position
  return {
    wallet,
    standing: {
      seq: version,
      owed: perToken((token) => owedTo(balances[token])),
      deposited: perToken((token) => totals[token].deposited),
      withdrawn: perToken((token) => totals[token].withdrawn),
    },
    partner: perToken((token) => balances[token].partner),
    at,
    unresolved,
  }
}

/** Returns the wallets with a position, in ascending order, after a given wallet. */
export async function listedWallets(
  db: D1Database,
  after: string | null,
  limit: number,
): Promise<string[]> {
  return (await listedVersions(db, after, limit)).map(({ wallet }) => wallet)
}

/** Returns the same wallets with the versions of their positions. */
export async function listedVersions(
  db: D1Database,
  after: string | null,
  limit: number,
): Promise<Pick<Position, 'wallet' | 'version'>[]> {
  const { results } = await db
    .prepare(
      `SELECT wallet, version FROM ledger_positions
       WHERE wallet > ? AND token = ? ORDER BY wallet LIMIT ?`,
    )
    .bind(after ?? '', TOKENS[0], limit)
    .all<Pick<Position, 'wallet' | 'version'>>()
  return results
}

type PositionRow = {
  token: Token
  version: number
  headHash: string
  accounts: string
  at: number
  safeguards: string | null
}

/** Returns the version, the time, the balances and the safeguards of a wallet's position; null without one. */
export async function findPosition(
  db: D1Database,
  wallet: string,
): Promise<Pick<Position, 'version' | 'headHash' | 'balances' | 'at' | 'safeguards'> | null> {
  const { results } = await db
    .prepare(
      `SELECT token, version, head_hash AS headHash, accounts, updated_at AS at, safeguards
       FROM ledger_positions WHERE wallet = ?`,
    )
    .bind(wallet)
    .all<PositionRow>()
  const [row] = results
  if (!row || results.length < TOKENS.length) return null
  const balances = emptyBalances()
  for (const { token, accounts } of results) {
    for (const [account, wei] of Object.entries(JSON.parse(accounts) as Record<string, string>)) {
      balances[token][account as Account] = BigInt(wei)
    }
  }
  const { version, headHash, at } = row
  const text = results.find((each) => each.safeguards !== null)?.safeguards
  const safeguards = text ? (JSON.parse(text) as Safeguards) : null
  return { version, headHash, balances, at, safeguards }
}

/** Returns the wallets in a list that lack a position for some token. */
export async function unlistedWallets(db: D1Database, wallets: string[]): Promise<string[]> {
  const unlisted = db.prepare(
    `SELECT value AS wallet FROM json_each(?1) AS asked
     WHERE (SELECT count(*) FROM ledger_positions WHERE wallet = asked.value) < ?2`,
  )
  const found = await db.batch<{ wallet: string }>(
    listsOf(wallets).map((list) => unlisted.bind(list, TOKENS.length)),
  )
  return found.flatMap(({ results }) => results.map(({ wallet }) => wallet))
}

/** Counts the wallets that have something in play. Reads every position. */
export async function walletsInPlay(db: D1Database): Promise<number> {
  const counted = db.prepare(
    `SELECT count(DISTINCT wallet) AS wallets FROM ledger_positions WHERE accounts ->> 'in_play' <> '0'`,
  )
  return (await counted.first<number>('wallets')) ?? 0
}

/**
 * Returns some wallets with a bet that has been open since before a time. Picks them at random, so
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
