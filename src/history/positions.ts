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
  /** Null without any; absent from an earlier ledger. */
  safeguards?: Safeguards | null
}

/** Writes a ledger's position, unless a later one is there. */
export async function savePosition(db: D1Database, position: Position): Promise<void> {
  const { wallet, version, headHash, balances, totals, unresolved, at } = position
  const { hasDeposited, nextNonce, openWithdrawals, safeguards } = position
  const upsert = db.prepare(
    `INSERT INTO ledger_positions
       (wallet, token, version, head_hash, accounts, unresolved, has_deposited, deposited, withdrawn, next_nonce,
        open_withdrawals, updated_at, owed_high, owed_low, house_high, house_low, vault_high, vault_low, partner_high, partner_low, faucet_high, faucet_low,
        safeguards)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (wallet, token) DO UPDATE
       SET version = excluded.version, head_hash = excluded.head_hash,
           accounts = excluded.accounts,
           unresolved = excluded.unresolved, has_deposited = excluded.has_deposited,
           deposited = excluded.deposited, withdrawn = excluded.withdrawn,
           next_nonce = excluded.next_nonce, open_withdrawals = excluded.open_withdrawals,
           updated_at = excluded.updated_at,
           owed_high = excluded.owed_high, owed_low = excluded.owed_low,
           house_high = excluded.house_high, house_low = excluded.house_low,
           vault_high = excluded.vault_high, vault_low = excluded.vault_low,
           partner_high = excluded.partner_high, partner_low = excluded.partner_low,
           faucet_high = excluded.faucet_high, faucet_low = excluded.faucet_low,
           safeguards = excluded.safeguards
       WHERE excluded.version >= ledger_positions.version`,
  )
  await db.batch(
    TOKENS.map((token) => {
      const accounts = JSON.stringify(balances[token], (_, value: unknown) =>
        typeof value === 'bigint' ? value.toString() : value,
      )
      const { house, fees, vault, partner, faucet } = balances[token]
      return upsert.bind(
        wallet,
        token,
        version,
        headHash,
        accounts,
        unresolved ? 1 : 0,
        hasDeposited ? 1 : 0,
        totals[token].deposited.toString(),
        totals[token].withdrawn.toString(),
        nextNonce,
        openWithdrawals,
        at,
        ...parts(owedTo(balances[token])),
        ...parts(house + fees),
        ...parts(-vault),
        ...parts(partner),
        ...parts(faucet),
        safeguards && token === TOKENS[0] ? JSON.stringify(safeguards) : null,
      )
    }),
  )
}

/** What a wallet is owed by its position. */
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
