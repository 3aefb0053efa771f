import { GAME_NAMES } from '../games/games.ts'
import type { FeedPlay } from '../games/play-request.ts'

/** The number of a wallet's plays that are listed: as many as one answer shows. */
export const PLAYS_OF_WALLET = 100

/** The number of plays of each game that the feed keeps: as many as one answer shows. */
export const PLAYS_OF_GAME = 100
/** The largest number of plays per game that one statement deletes. */
const TRIMMED_AT_ONCE = 10_000
/** The most statements per game of one trim. Plays beyond them are left to the next. */
const TRIMS = 30

/** The order of the feed, which is the order of its key. */
const NEWEST_FIRST = 'ORDER BY settled_at DESC, wallet DESC, nonce DESC'

/**
 * Writes settled plays to the feed. Safe to repeat in any order. A play that the feed would not show is not
 * written, so that a late repetition doesn't bring it back.
 */
export async function savePlays(db: D1Database, plays: FeedPlay[]): Promise<void> {
  await db
    .prepare(
      `WITH given AS MATERIALIZED
         (SELECT value ->> 'game' AS game, value ->> 'settledAt' AS settled_at,
            value ->> 'wallet' AS wallet, value ->> 'nonce' AS nonce, value AS play
          FROM json_each(?)),
       oldest AS MATERIALIZED
         (SELECT game, (SELECT settled_at FROM recent_plays WHERE game = named.game
            ORDER BY settled_at DESC LIMIT 1 OFFSET ?) AS settled_at
          FROM (SELECT DISTINCT game FROM given) AS named)
       INSERT INTO recent_plays (game, settled_at, wallet, nonce, play)
       SELECT game, given.settled_at, wallet, nonce, play FROM given JOIN oldest USING (game)
       WHERE given.settled_at >= coalesce(oldest.settled_at, given.settled_at)
       ON CONFLICT DO NOTHING`,
    )
    .bind(JSON.stringify(plays), PLAYS_OF_GAME - 1)
    .run()
}

/** Returns the newest plays of all wallets, newest first, optionally of one game. */
export async function newestPlays(
  db: D1Database,
  { game, limit }: { game: string | null; limit: number },
): Promise<FeedPlay[]> {
  const games = game === null ? GAME_NAMES : [game]
  // The games' plays are merged as they are read, so that few more are read than returned.
  const ofGame = 'SELECT settled_at, wallet, nonce, play FROM recent_plays WHERE game = ?'
  const merged = games.map(() => ofGame).join(' UNION ALL ')
  const { results } = await db
    .prepare(`${merged} ${NEWEST_FIRST} LIMIT ?`)
    .bind(...games, limit)
    .all<{ play: string }>()
  return results.map(({ play }) => JSON.parse(play) as FeedPlay)
}

/** Deletes the plays that the feed no longer shows. The ledgers keep them permanently. */
export async function trimPlays(db: D1Database, ofGame = PLAYS_OF_GAME): Promise<void> {
  const trim = db.prepare(
    `DELETE FROM recent_plays WHERE (game, settled_at, wallet, nonce) IN
       (SELECT game, settled_at, wallet, nonce FROM recent_plays
        WHERE game = ?1 AND settled_at <
          (SELECT settled_at FROM recent_plays
           WHERE game = ?1 ORDER BY settled_at DESC LIMIT 1 OFFSET ?2)
        ORDER BY settled_at LIMIT ?3)`,
  )
  let games: readonly string[] = GAME_NAMES
  for (let trims = 0; trims < TRIMS && games.length > 0; trims++) {
    const bound = games.map((game) => trim.bind(game, ofGame - 1, TRIMMED_AT_ONCE))
    const trimmed = await db.batch(bound)
    games = games.filter((_, index) => trimmed[index]?.meta.changes === TRIMMED_AT_ONCE)
  }
}
