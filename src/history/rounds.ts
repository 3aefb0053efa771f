import { invariant } from '../core/invariant.ts'
import { outcomeOf, type Bet } from '../crash/bet.ts'
import type { RoundResult } from '../crash/result.ts'
import type { Round } from '../crash/round.ts'

/** The number of bets per statement, which D1 takes as one JSON parameter. */
const BETS_PER_STATEMENT = 500

/** Writes an ended round, its bets first. Safe to repeat: existing rows stay. */
export async function saveRound(db: D1Database, round: Round): Promise<void> {
  const result = resultOf(round)
  const { bets } = round
  for (let from = 0; from < bets.length; from += BETS_PER_STATEMENT) {
    await saveBets(db, result, bets, from).run()
  }
  await saveWithoutBets(db, round)
}

/** Writes an ended round without its bets, for a history that no longer needs them. Safe to repeat. */
export async function saveWithoutBets(db: D1Database, round: Round): Promise<void> {
  await saveResult(db, resultOf(round), round.bets.length > 0 ? round : null).run()
}

function resultOf(round: Round): RoundResult {
  const result = round.result()
  invariant(result, 'only an ended round is saved')
  return result
}

/** Writes ended rounds that nobody bet in. Safe to repeat: existing rows stay. */
export async function saveEmptyRounds(db: D1Database, results: RoundResult[]): Promise<void> {
  if (results.length > 0) await db.batch(results.map((result) => saveResult(db, result, null)))
}

function saveResult(db: D1Database, result: RoundResult, round: Round | null): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO crash_rounds
         (round_id, kind, crash_hundredths, bet_count, opened_at, ended_at, result, plan, bets_root)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    )
    .bind(
      result.roundId,
      result.kind,
      result.kind === 'settled' ? result.crash : null,
      result.betCount,
      result.openedAt,
      result.endedAt,
      JSON.stringify(result),
      round && JSON.stringify(round.record.plan),
      round?.fixedBets.betsRoot ?? null,
    )
}

function saveBets(
  db: D1Database,
  result: RoundResult,
  bets: Bet[],
  from: number,
): D1PreparedStatement {
  const rows = bets.slice(from, from + BETS_PER_STATEMENT).map((bet, index) => {
    const outcome = outcomeOf(bet, result.kind === 'settled' ? 'crashed' : 'voided')
    const refunded = outcome.kind === 'voided' ? bet.amountWei.toString() : '0'
    return {
      ...bet,
      n: from + index,
      amountWei: bet.amountWei.toString(),
      payoutWei: outcome.kind === 'won' ? outcome.payoutWei : refunded,
    }
  })
  return db
    .prepare(
      `INSERT INTO crash_bets
         (round_id, wallet, n, bet_id, token, amount_wei, auto_cashout_hundredths, placed_at,
          cashout_hundredths, cashed_out_at, payout_wei)
       SELECT ?, value ->> 'wallet', value ->> 'n', value ->> 'betId', value ->> 'token',
              value ->> 'amountWei', value ->> 'autoCashout', value ->> 'placedAt', value ->> 'cashout',
              value ->> 'cashedOutAt', value ->> 'payoutWei'
       FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
    )
    .bind(result.roundId, JSON.stringify(rows))
}

/** Returns an ended round by its number, or null. */
export async function findRound(db: D1Database, roundId: number): Promise<RoundResult | null> {
  const row = await db
    .prepare('SELECT result FROM crash_rounds WHERE round_id = ?')
    .bind(roundId)
    .first<{ result: string }>()
  return row ? (JSON.parse(row.result) as RoundResult) : null
}

/** Returns the newest ended rounds, and the newest voided ones, each the newest first. */
export async function newestRounds(
  db: D1Database,
  limit: number,
): Promise<{ newest: RoundResult[]; voided: RoundResult[] }> {
  const select = (where: string) =>
    db
      .prepare(`SELECT result FROM crash_rounds ${where} ORDER BY round_id DESC LIMIT ?`)
      .bind(limit)
  const [newest, voided] = await db.batch<{ result: string }>([
    select(''),
    select(`WHERE kind = 'voided'`),
  ])
  const parse = (rows: { result: string }[] = []) =>
    rows.map(({ result }) => JSON.parse(result) as RoundResult)
  return { newest: parse(newest?.results), voided: parse(voided?.results) }
}
