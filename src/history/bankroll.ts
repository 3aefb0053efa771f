import { HOUSE } from '../ledger/accounts.ts'
import type { Totals } from '../money/bankroll.ts'
import { perToken, type PerToken } from '../money/token.ts'
import type { SettledPositions } from '../vault/standing.ts'

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
  settled_high: string | null
  settled_low: string | null
  depositors: number
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
  totals: PerToken<Totals>
  /** Of the wallets that aren't excluded. */
  settled: SettledPositions
  beat: number
}

/** Sums the positions. @param except wallets excluded from `settled` */
export async function sumPositions(db: D1Database, except: string[]): Promise<Sums> {
  const sums = db
    .prepare(
      `SELECT token,
         CAST(sum(owed_high) AS TEXT) AS owed_high, CAST(sum(owed_low) AS TEXT) AS owed_low,
         CAST(sum(house_high) AS TEXT) AS house_high, CAST(sum(house_low) AS TEXT) AS house_low,
         CAST(sum(partner_high) AS TEXT) AS partner_high,
         CAST(sum(partner_low) AS TEXT) AS partner_low,
         CAST(sum(vault_high) FILTER (WHERE wallet <> ?1) AS TEXT) AS brought_high,
         CAST(sum(vault_low) FILTER (WHERE wallet <> ?1) AS TEXT) AS brought_low,
         CAST(sum(vault_high) FILTER (WHERE wallet NOT IN (SELECT value FROM json_each(?2))) AS TEXT)
           AS settled_high,
         CAST(sum(vault_low) FILTER (WHERE wallet NOT IN (SELECT value FROM json_each(?2))) AS TEXT)
           AS settled_low,
         count(*) FILTER (WHERE has_deposited = 1
           AND wallet NOT IN (SELECT value FROM json_each(?2))) AS depositors
       FROM ledger_positions GROUP BY token`,
    )
    .bind(HOUSE, JSON.stringify(except))
  const heartbeat = db.prepare('SELECT beat FROM heartbeat')
  const [found, beats] = await db.batch([sums, heartbeat])
  const rows = (found?.results ?? []) as Row[]
  const [beat] = (beats?.results ?? []) as { beat: number }[]
  const ofToken = perToken((token) => rows.find((row) => row.token === token))
  return {
    totals: perToken((token) => {
      const row = ofToken[token]
      return {
        owed: whole(row?.owed_high, row?.owed_low),
        house: whole(row?.house_high, row?.house_low),
        brought: whole(row?.brought_high, row?.brought_low),
        partner: whole(row?.partner_high, row?.partner_low),
      }
    }),
    settled: {
      depositors: Math.min(ofToken.ETH?.depositors ?? 0, ofToken.USDG?.depositors ?? 0),
      vault: perToken((token) => whole(ofToken[token]?.settled_high, ofToken[token]?.settled_low)),
    },
    beat: beat?.beat ?? 0,
  }
}

function whole(high: string | null | undefined, low: string | null | undefined): bigint {
  return BigInt(high ?? 0) * LOW_UNITS + BigInt(low ?? 0)
}

/**
 * Writes the heartbeat's next number unless the stored one is higher.
 * @returns the number stored before. It is lower than an earlier write only if the database was lost or
 *   restored.
 */
export async function writeHeartbeat(db: D1Database, next: number): Promise<number> {
  const [found] = await db.batch([
    db.prepare('SELECT beat FROM heartbeat'),
    db
      .prepare(
        `INSERT INTO heartbeat (id, beat) VALUES (1, ?)
         ON CONFLICT (id) DO UPDATE SET beat = max(beat, excluded.beat)`,
      )
      .bind(next),
  ])
  const [row] = (found?.results ?? []) as { beat: number }[]
  return row?.beat ?? 0
}
