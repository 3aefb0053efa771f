import { HOUSE } from '../ledger/accounts.ts'
import type { Totals } from '../money/bankroll.ts'
import { perToken, TOKENS, type PerToken, type Token } from '../money/token.ts'
import type { AccountPosition } from '../reconciliation/in-flight.ts'
import type { LedgerSums } from '../reconciliation/reconcile.ts'
import type { SettledPositions } from '../vault/trust.ts'
import { listsOf } from './wallet-lists.ts'

/** The amounts of a position that are summed, and the parts that are counted. */
const AMOUNTS = ['owed', 'house', 'partner', 'faucet', 'vault'] as const
const COUNTS = ['wallets', 'depositors'] as const

/** The only row: of each token, sums of both parts of an amount as "high:low", null without a position, and counts. */
type SumRow = Record<`${(typeof AMOUNTS)[number]}${Token}`, string | null> &
  Record<`${(typeof COUNTS)[number]}${Token}`, number>

/** SQLite adds 64-bit integers, so an amount is stored as two: high · 10^12 + low. */
const LOW_UNITS = 10n ** 12n

/** Splits an amount into two parts; the low part is never negative. */
export function parts(amountWei: bigint): [high: string, low: string] {
  const low = ((amountWei % LOW_UNITS) + LOW_UNITS) % LOW_UNITS
  return [((amountWei - low) / LOW_UNITS).toString(), low.toString()]
}

/** The sums of all ledgers' latest positions, read in one transaction with the heartbeat. */
export interface PositionSums {
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
 * Sums the positions of both tokens in one scan, because D1 answers nobody else meanwhile. Grouping would sort all
 * rows, and a condition on the wallet would be looked up for each of them: the few exceptions are read by their key and
 * subtracted.
 * @param except wallets excluded from `settled`
 * @param singly wallets whose positions are returned one by one, too
 */
export async function sumPositions(
  db: D1Database,
  except: readonly string[],
  singly: readonly string[],
): Promise<PositionSums> {
  const columns = TOKENS.flatMap((token) => [
    ...AMOUNTS.map((amount) => `${sumOf(amount, token)} AS ${amount}${token}`),
    `count(*) FILTER (WHERE token = '${token}') AS wallets${token}`,
    `count(*) FILTER (WHERE token = '${token}' AND has_deposited = 1) AS depositors${token}`,
  ])
  const sums = db.prepare(`SELECT ${columns.join(', ')} FROM ledger_positions`)
  const heartbeat = db.prepare('SELECT beat FROM heartbeat')
  const asking = listsOf([...new Set([HOUSE, ...except, ...singly])])
  const isAsked = asking.map(() => 'wallet IN (SELECT value FROM json_each(?))').join(' OR ')
  const asked = db
    .prepare(
      `SELECT wallet, token, vault_high || ':' || vault_low AS vault, has_deposited AS hasDeposited,
         coalesce(accounts ->> 'withdrawing', '0') AS withdrawing, next_nonce AS nextNonce,
         open_withdrawals AS openWithdrawals, updated_at AS at
       FROM ledger_positions WHERE ${isAsked}`,
    )
    .bind(...asking)
  const [found, beats, positions] = await db.batch([sums, heartbeat, asked])
  const [row] = (found?.results ?? []) as SumRow[]
  const [beat] = (beats?.results ?? []) as { beat: number }[]
  const rows = (positions?.results ?? []) as AskedRow[]
  const total = (amount: (typeof AMOUNTS)[number], token: Token) =>
    whole(row?.[`${amount}${token}`])
  const counted = (count: (typeof COUNTS)[number], token: Token) => row?.[`${count}${token}`] ?? 0
  const excluded = new Set(except)
  const recent = perToken((token) =>
    ofToken(rows, token).filter((each) => excluded.has(each.wallet)),
  )
  const house = perToken((token) => ofToken(rows, token).filter(({ wallet }) => wallet === HOUSE))
  return {
    totals: perToken((token) => ({
      owedWei: total('owed', token),
      houseWei: total('house', token),
      netDepositsWei: total('vault', token) - vaultOf(house[token]),
      partnerWei: total('partner', token),
      faucetWei: total('faucet', token),
      vaultWei: total('vault', token),
    })),
    settled: {
      depositors: Math.min(
        ...TOKENS.map((token) => counted('depositors', token) - depositorsOf(recent[token])),
      ),
      vault: perToken((token) => total('vault', token) - vaultOf(recent[token])),
    },
    wallets: Math.max(...TOKENS.map((token) => counted('wallets', token))),
    beat: beat?.beat ?? 0,
    singly: positionsOf(rows),
  }
}

function ofToken(rows: readonly AskedRow[], token: Token): AskedRow[] {
  return rows.filter((row) => row.token === token)
}

function vaultOf(rows: readonly AskedRow[]): bigint {
  return rows.reduce((sum, { vault }) => sum + whole(vault), 0n)
}

function depositorsOf(rows: readonly AskedRow[]): number {
  return rows.filter(({ hasDeposited }) => hasDeposited === 1).length
}

type AskedRow = {
  wallet: string
  token: Token
  vault: string
  withdrawing: string
  hasDeposited: number
} & Omit<AccountPosition, 'vault' | 'withdrawing'>

function positionsOf(rows: readonly AskedRow[]): Map<string, AccountPosition> {
  const positions = new Map<string, AccountPosition>()
  for (const { wallet, token, vault, withdrawing, nextNonce, openWithdrawals, at } of rows) {
    const none = { vault: perToken(() => 0n), withdrawing: perToken(() => 0n) }
    const position = positions.get(wallet) ?? { ...none, nextNonce, openWithdrawals, at }
    position.vault[token] = whole(vault)
    position.withdrawing[token] = BigInt(withdrawing)
    positions.set(wallet, position)
  }
  return positions
}

/** Returns the SQL for the sums of both parts of an amount; null if no row counts. */
function sumOf(amount: string, token: Token): string {
  const [high, low] = ['high', 'low'].map(
    (part) => `sum(${amount}_${part}) FILTER (WHERE token = '${token}')`,
  )
  return `${high} || ':' || ${low}`
}

/** Reads an amount from its two parts, as text or as sums of them; zero if there are none. */
export function whole(sum: string | null | undefined): bigint {
  const [high = 0, low = 0] = sum?.split(':') ?? []
  return BigInt(high) * LOW_UNITS + BigInt(low)
}

/** Returns the heartbeat's number; 0 before the first. */
export async function readHeartbeat(db: D1Database): Promise<number> {
  return (await db.prepare('SELECT beat FROM heartbeat').first<number>('beat')) ?? 0
}

/**
 * Writes the heartbeat's next number, unless the stored one is higher, or lower than the known one. A low number is the
 * only sign that the database was lost or restored, so it stays until the caller has seen it: the answer may be lost.
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
