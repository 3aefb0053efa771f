import type { StoredBet, StoredRound } from '../exports/rows.ts'
import { TOKENS } from '../money/token.ts'

/** Rounds by number: those of a range, with exceptions, and some late ones from before it. */
export interface RoundSet {
  /** The range begins after this number. */
  after: number
  last: number
  except: readonly number[]
  late: readonly number[]
}

/** Returns the number of the last round, after a given one, that ended before a time; the given number if none did. */
export async function lastRoundBefore(
  db: D1Database,
  before: number,
  after: number,
): Promise<number> {
  const row = await db
    .prepare(
      `SELECT round_id FROM crash_rounds WHERE round_id > ? AND ended_at < ?
       ORDER BY round_id DESC LIMIT 1`,
    )
    .bind(after, before)
    .first<{ round_id: number }>()
  return row?.round_id ?? after
}

/** Returns whether the history lacks rounds after one up to another. */
export async function lacksRounds(db: D1Database, after: number, upTo: number): Promise<boolean> {
  const row = await db
    .prepare('SELECT count(*) AS present FROM crash_rounds WHERE round_id > ? AND round_id <= ?')
    .bind(after, upTo)
    .first<{ present: number }>()
  return (row?.present ?? 0) < upTo - after
}

/** Returns those of some rounds that the history has, in order. */
export async function roundsPresent(db: D1Database, roundIds: number[]): Promise<number[]> {
  const { results } = await db
    .prepare(
      `SELECT round_id FROM crash_rounds WHERE round_id IN (SELECT value FROM json_each(?))
       ORDER BY round_id`,
    )
    .bind(JSON.stringify(roundIds))
    .all<{ round_id: number }>()
  return results.map(({ round_id: roundId }) => roundId)
}

/** Returns the rounds of a set after a number, in order. */
export async function roundsOf(
  db: D1Database,
  set: RoundSet,
  after: number,
  limit: number,
): Promise<StoredRound[]> {
  const { results } = await db
    .prepare(
      `SELECT result, plan, bets_root AS betsRoot FROM crash_rounds
       WHERE round_id > ?1 AND round_id <= ?2 AND ${IN_SET} ORDER BY round_id LIMIT ?6`,
    )
    .bind(after, ...bounds(set), limit)
    .all<{ result: string; plan: string | null; betsRoot: string | null }>()
  return results.map(({ result, plan, betsRoot }) => ({
    result: JSON.parse(result) as StoredRound['result'],
    plan: plan === null ? null : (JSON.parse(plan) as StoredRound['plan']),
    betsRoot,
  }))
}

/** Returns the bets of a set of rounds after a bet, by round and wallet. */
export async function betsOf(
  db: D1Database,
  set: RoundSet,
  after: { roundId: number; wallet: string },
  limit: number,
): Promise<StoredBet[]> {
  const { results } = await db
    .prepare(
      `SELECT round_id AS roundId, n, bet_id AS betId, wallet, token, amount_wei AS amountWei,
         auto_cashout_hundredths AS autoCashout, placed_at AS placedAt,
         cashout_hundredths AS cashout, cashed_out_at AS cashedOutAt, payout_wei AS payoutWei,
         kind, result ->> 'seed' AS seed
       FROM crash_bets JOIN crash_rounds USING (round_id)
       WHERE (round_id, wallet) > (?1, ?7) AND round_id <= ?2 AND ${IN_SET}
       ORDER BY round_id, wallet LIMIT ?6`,
    )
    .bind(after.roundId, ...bounds(set), limit, after.wallet)
    .all<StoredBet>()
  return results
}

/**
 * Deletes bets of the rounds up to a number, with exceptions, the oldest first. Their results stay.
 * @returns the number of deleted bets: less than the limit if none is left
 */
export async function deleteBets(
  db: D1Database,
  { upTo, except }: { upTo: number; except: readonly number[] },
  limit: number,
): Promise<number> {
  const { meta } = await db
    .prepare(
      `DELETE FROM crash_bets WHERE (round_id, wallet) IN
         (SELECT round_id, wallet FROM crash_bets
          WHERE round_id <= ? AND round_id NOT IN (SELECT value FROM json_each(?))
          ORDER BY round_id, wallet LIMIT ?)`,
    )
    .bind(upTo, JSON.stringify(except), limit)
    .run()
  return meta.changes
}

const IN_SET = `(round_id > ?3 AND round_id NOT IN (SELECT value FROM json_each(?4))
         OR round_id IN (SELECT value FROM json_each(?5)))`

/** The parameters 2 to 5: the last round of a set, the start of its range, its exceptions and its late rounds. */
function bounds({ after, last, except, late }: RoundSet) {
  return [last, after, JSON.stringify(except), JSON.stringify(late)] as const
}

/** Returns the wallets after another one whose position was sent at or after a time, in order. */
export async function activeWallets(
  db: D1Database,
  { after, since, limit }: { after: string; since: number; limit: number },
): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT wallet FROM ledger_positions
       WHERE wallet > ? AND token = ? AND updated_at >= ? ORDER BY wallet LIMIT ?`,
    )
    .bind(after, TOKENS[0], since, limit)
    .all<{ wallet: string }>()
  return results.map(({ wallet }) => wallet)
}

/** Returns the wallets in the feed. They have played lately, and D1 may not have their positions yet. */
export async function walletsOfFeed(db: D1Database): Promise<string[]> {
  const { results } = await db
    .prepare('SELECT DISTINCT wallet FROM recent_plays ORDER BY wallet')
    .all<{ wallet: string }>()
  return results.map(({ wallet }) => wallet)
}
