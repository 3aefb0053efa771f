import { HOUSE } from '../ledger/accounts.ts'
import type { Totals } from '../money/bankroll.ts'
import { perToken, type PerToken, type Token } from '../money/token.ts'
import type { AccountPosition } from '../reconciliation/in-flight.ts'
import type { LedgerSums } from '../reconciliation/reconcile.ts'
import type { SettledPositions } from '../vault/standing.ts'
import { listsOf } from './wallet-lists.ts'

type Row = {
  token: string
  /** Sums of both parts of an amount: "high:low". */
  owed: string
  house: string
  partner: string
  faucet: string
  vault: string
  netDeposits: string | null
  settled: string | null
  depositors: number
  wallets: number
}

/** SQLite adds 64-bit integers, so an amount is stored as two: high · 10^12 + low. */
const LOW_UNITS = 10n ** 12n

/** Splits an amount into two parts; the low part is never negative. */
export function parts(amountWei: bigint): [high: string, low: string] {
  const low = ((amountWei % LOW_UNITS) + LOW_UNITS) % LOW_UNITS
  return [((amountWei - low) / LOW_UNITS).toString(), low.toString()]
}

/** The sums of all ledgers' latest positions, read in one transaction with the heartbeat. */
export interface Sums {
  totals: PerToken<Totals & LedgerSums>
  /** Of the wallets that aren't excluded. */
  settled: SettledPositions
  /** The number of wallets with a position, and the house. */
  wallets: number
  beat: number
  /** The positions that were asked for, by wallet. */
  singly: ReadonlyMap<string, AccountPosition>
}

/**
 * Sums the positions.
 * @param except wallets excluded from `settled`
 * @param singly wallets whose positions are returned one by one, too
 */
export async function sumPositions(
  db: D1Database,
  except: readonly string[],
  singly: readonly string[],
): Promise<Sums> {
  const lists = listsOf(except)
  const isSettled = lists
    .map((_, index) => `wallet NOT IN (SELECT value FROM json_each(?${index + 2}))`)
    .join(' AND ')
  const sums = db
    .prepare(
      `SELECT token,
         ${sumOf('owed')} AS owed, ${sumOf('house')} AS house, ${sumOf('partner')} AS partner,
         ${sumOf('faucet')} AS faucet, ${sumOf('vault')} AS vault,
         ${sumOf('vault', 'wallet <> ?1')} AS netDeposits, ${sumOf('vault', isSettled)} AS settled,
         count(*) FILTER (WHERE has_deposited = 1 AND ${isSettled}) AS depositors,
         count(*) AS wallets
       FROM ledger_positions GROUP BY token`,
    )
    .bind(HOUSE, ...lists)
  const heartbeat = db.prepare('SELECT beat FROM heartbeat')
  const asking = listsOf(singly)
  const isAsked = asking.map(() => 'wallet IN (SELECT value FROM json_each(?))').join(' OR ')
  const asked = db
    .prepare(
      `SELECT wallet, token, vault_high || ':' || vault_low AS vault,
         coalesce(accounts ->> 'withdrawing', '0') AS withdrawing, next_nonce AS nextNonce,
         open_withdrawals AS openWithdrawals, updated_at AS at
       FROM ledger_positions WHERE ${isAsked}`,
    )
    .bind(...asking)
  const [found, beats, positions] = await db.batch([sums, heartbeat, asked])
  const rows = (found?.results ?? []) as Row[]
  const [beat] = (beats?.results ?? []) as { beat: number }[]
  const ofToken = perToken((token) => rows.find((row) => row.token === token))
  return {
    totals: perToken((token) => {
      const row = ofToken[token]
      return {
        owedWei: whole(row?.owed),
        houseWei: whole(row?.house),
        netDepositsWei: whole(row?.netDeposits),
        partnerWei: whole(row?.partner),
        faucetWei: whole(row?.faucet),
        vaultWei: whole(row?.vault),
      }
    }),
    settled: {
      depositors: Math.min(ofToken.ETH?.depositors ?? 0, ofToken.USDG?.depositors ?? 0),
      vault: perToken((token) => whole(ofToken[token]?.settled)),
    },
    wallets: Math.max(0, ...rows.map((row) => row.wallets)),
    beat: beat?.beat ?? 0,
    singly: positionsOf((positions?.results ?? []) as AskedRow[]),
  }
}

type AskedRow = { wallet: string; token: Token; vault: string; withdrawing: string } & Omit<
  AccountPosition,
  'vault' | 'withdrawing'
>

function positionsOf(rows: readonly AskedRow[]): Map<string, AccountPosition> {
  const positions = new Map<string, AccountPosition>()
  for (const { wallet, token, vault, withdrawing, ...rest } of rows) {
    const none = { ...rest, vault: perToken(() => 0n), withdrawing: perToken(() => 0n) }
    const position = positions.get(wallet) ?? none
    position.vault[token] = whole(vault)
    position.withdrawing[token] = BigInt(withdrawing)
    positions.set(wallet, position)
  }
  return positions
}

/** Returns the SQL for the sums of both parts of an amount; null if no row counts. */
function sumOf(amount: string, counts = 'true'): string {
  const [high, low] = ['high', 'low'].map(
    (part) => `sum(${amount}_${part}) FILTER (WHERE ${counts})`,
  )
  return `${high} || ':' || ${low}`
}

/** Reads an amount from its two parts, as text or as sums of them; zero if there are none. */
export function whole(sum: string | null | undefined): bigint {
  const [high = 0, low = 0] = sum?.split(':') ?? []
  return BigInt(high) * LOW_UNITS + BigInt(low)
}

/**
 * Writes the heartbeat's next number, unless the stored one is higher, or lower than the known one. A low number is the only
 * sign that the database was lost or restored, so it stays until the caller has seen it: the answer may be lost.
 * @returns the number stored before. It is lower than the known one only if the database was lost or restored.
 */
export async function writeHeartbeat(
  db: D1Database,
  { known, next }: { known: number; next: number },
): Promise<number> {
  const [found] = await db.batch([
    db.prepare('SELECT beat FROM heartbeat'),
    db
      .prepare(
        `INSERT INTO heartbeat (id, beat)
         SELECT 1, ?1 WHERE coalesce((SELECT beat FROM heartbeat), 0) >= ?2
         ON CONFLICT (id) DO UPDATE SET beat = max(beat, excluded.beat)`,
      )
      .bind(next, known),
  ])
  const [row] = (found?.results ?? []) as { beat: number }[]
  return row?.beat ?? 0
}
