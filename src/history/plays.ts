import type { FeedPlay } from '../ledger/play.ts'

/** Writes settled plays. Safe to repeat: what is there stays. */
export async function savePlays(db: D1Database, plays: FeedPlay[]): Promise<void> {
  await db
    .prepare(
      `INSERT INTO entropy_plays
       SELECT value ->> 'wallet', value ->> 'nonce', value ->> 'game', value ->> 'settledAt', value
       FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
    )
    .bind(JSON.stringify(plays))
    .run()
}

/** The newest plays, of one game or one wallet if asked for. */
export async function newestPlays(
  db: D1Database,
  filter: { game: string | null; wallet: string | null; limit: number },
): Promise<FeedPlay[]> {
  const conditions = [
    { column: 'game', value: filter.game },
    { column: 'wallet', value: filter.wallet },
  ].filter(({ value }) => value !== null)
  const where = conditions.map(({ column }) => `${column} = ?`).join(' AND ')
  const { results } = await db
    .prepare(
      `SELECT play FROM entropy_plays ${where && `WHERE ${where}`}
       ORDER BY settled_at DESC, wallet, nonce DESC LIMIT ?`,
    )
    .bind(...conditions.map(({ value }) => value), filter.limit)
    .all<{ play: string }>()
  return results.map(({ play }) => JSON.parse(play) as FeedPlay)
}
