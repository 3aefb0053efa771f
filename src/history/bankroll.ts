import { HOUSE } from '../objects.ts'
import { perToken, TOKENS, type PerToken } from '../money/token.ts'

/** What all ledgers say together, in smallest units. */
export interface Totals {
  /** Chips, in play and being withdrawn: what players are owed. */
  owed: bigint
  /** Won, paid in fees, and put up for the house, less what it has lost and taken out. */
  house: bigint
  /** What players have brought in through the vault and not taken out again. */
  brought: bigint
  /** What partners have debited beyond their credits; below zero the other way round. */
  partner: bigint
}

type Row = {
  token: string
  owed_high: string
  owed_low: string
  house_high: string
  house_low: string
  partner_high: string
  partner_low: string
  brought_high: string | null
  brought_low: string | null
}

/** SQLite adds 64-bit integers, so an amount is kept as two: high · 10^12 + low. */
const LOW_UNITS = 10n ** 12n

/** The two parts of an amount; the low one is never below zero. */
export function parts(amountWei: bigint): [high: string, low: string] {
  const low = ((amountWei % LOW_UNITS) + LOW_UNITS) % LOW_UNITS
  return [((amountWei - low) / LOW_UNITS).toString(), low.toString()]
}

/** The sums over the latest position of every ledger. */
export async function totals(db: D1Database): Promise<PerToken<Totals>> {
  const { results } = await db
    .prepare(
      `SELECT token,
         CAST(sum(owed_high) AS TEXT) AS owed_high, CAST(sum(owed_low) AS TEXT) AS owed_low,
         CAST(sum(house_high) AS TEXT) AS house_high, CAST(sum(house_low) AS TEXT) AS house_low,
         CAST(sum(partner_high) AS TEXT) AS partner_high,
         CAST(sum(partner_low) AS TEXT) AS partner_low,
         CAST(sum(vault_high) FILTER (WHERE wallet <> ?1) AS TEXT) AS brought_high,
         CAST(sum(vault_low) FILTER (WHERE wallet <> ?1) AS TEXT) AS brought_low
       FROM ledger_positions GROUP BY token`,
    )
    .bind(HOUSE)
    .all<Row>()
  const whole = (high: string | null, low: string | null) =>
    BigInt(high ?? 0) * LOW_UNITS + BigInt(low ?? 0)
  return perToken((token) => {
    const row = results.find((found) => found.token === token)
    if (!row) return { owed: 0n, house: 0n, brought: 0n, partner: 0n }
    return {
      owed: whole(row.owed_high, row.owed_low),
      house: whole(row.house_high, row.house_low),
      brought: whole(row.brought_high, row.brought_low),
      partner: whole(row.partner_high, row.partner_low),
    }
  })
}

/** Keeps the house's bankroll where every isolate finds it. */
export async function saveBankroll(
  db: D1Database,
  vaultId: string,
  amounts: PerToken<bigint>,
  at: number,
): Promise<void> {
  const upsert = db.prepare('INSERT OR REPLACE INTO bankroll VALUES (?, ?, ?, ?)')
  await db.batch(TOKENS.map((token) => upsert.bind(vaultId, token, amounts[token].toString(), at)))
}

/** The bankroll as last counted; nothing before the first count. */
export async function findBankroll(db: D1Database, vaultId: string): Promise<PerToken<bigint>> {
  const { results } = await db
    .prepare('SELECT token, amount_wei FROM bankroll WHERE vault = ?')
    .bind(vaultId)
    .all<{ token: string; amount_wei: string }>()
  return perToken((token) => BigInt(results.find((row) => row.token === token)?.amount_wei ?? '0'))
}
