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

/** The newest plays, of one game or one wallet if asked for. Each way reads along an index. */
export async function newestPlays(
  db: D1Database,
  filter: { game: string | null; wallet: string | null; limit: number },
): Promise<FeedPlay[]> {
  const { game, wallet, limit } = filter
  const { from, values } = sourceOf(game, wallet)
  const { results } = await db
    .prepare(`SELECT play FROM entropy_plays ${from} LIMIT ?`)
    .bind(...values, limit)
    .all<{ play: string }>()
  return results.map(({ play }) => JSON.parse(play) as FeedPlay)
}

/** Where to look and in which order. SQLite's own choice reads all of a wallet's plays for one game. */
function sourceOf(game: string | null, wallet: string | null): { from: string; values: string[] } {
  const newest = 'ORDER BY settled_at DESC, wallet DESC, nonce DESC'
  if (wallet === null) {
    return game === null
      ? { from: newest, values: [] }
      : { from: `WHERE game = ? ${newest}`, values: [game] }
  }
  if (game === null) return { from: 'WHERE wallet = ? ORDER BY nonce DESC', values: [wallet] }
  const from = `INDEXED BY entropy_plays_newest_of_wallet_and_game
    WHERE wallet = ? AND game = ? ORDER BY settled_at DESC, nonce DESC`
  return { from, values: [wallet, game] }
}

/** Takes the oldest plays out of the feed, so many at most: their ledgers keep them. */
export async function forgetPlays(db: D1Database, before: number, limit: number): Promise<void> {
  await db
    .prepare(
      `DELETE FROM entropy_plays WHERE (wallet, nonce) IN
         (SELECT wallet, nonce FROM entropy_plays WHERE settled_at < ? ORDER BY settled_at LIMIT ?)`,
    )
    .bind(before, limit)
    .run()
}
