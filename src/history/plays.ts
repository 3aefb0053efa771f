import { GAME_NAMES } from '../games/games.ts'
import type { FeedPlay } from '../games/placement.ts'

/** The number of plays per wallet that the feed keeps: as many as one answer shows. */
export const PLAYS_OF_WALLET = 100

/** The number of plays that the feed keeps in total, about 100 MB. */
const PLAYS_IN_ALL = 100_000
/** The number of plays per game that the feed always keeps, however popular other games are. */
const PLAYS_OF_GAME = 100
/** The largest number of plays per game that one trim deletes. */
const TRIMMED_AT_ONCE = 50_000

/**
 * Writes settled plays to the feed, where each replaces the wallet's play in its slot. Safe to repeat in
 * any order: a newer play is never replaced.
 */
export async function savePlays(db: D1Database, plays: FeedPlay[]): Promise<void> {
  await db
    .prepare(
      `INSERT INTO recent_plays (wallet, slot, nonce, game, settled_at, play)
       SELECT value ->> 'wallet', (value ->> 'nonce') % ?, value ->> 'nonce', value ->> 'game',
              value ->> 'settledAt', value
       FROM json_each(?) WHERE true
       ON CONFLICT (wallet, slot) DO UPDATE
         SET nonce = excluded.nonce, game = excluded.game, settled_at = excluded.settled_at,
             play = excluded.play
         WHERE excluded.nonce > recent_plays.nonce`,
    )
    .bind(PLAYS_OF_WALLET, JSON.stringify(plays))
    .run()
}

/** Returns the newest plays, newest first, optionally of one game or one wallet. */
export async function newestPlays(
  db: D1Database,
  filter: { game: string | null; wallet: string | null; limit: number },
): Promise<FeedPlay[]> {
  const { game, wallet, limit } = filter
  const { from, values } = sourceOf(game, wallet)
  const { results } = await db
    .prepare(`SELECT play FROM recent_plays ${from} LIMIT ?`)
    .bind(...values, limit)
    .all<{ play: string }>()
  return results.map(({ play }) => JSON.parse(play) as FeedPlay)
}

/** Returns the query's filter and order, which follow an index or read one wallet's few plays. */
function sourceOf(game: string | null, wallet: string | null): { from: string; values: string[] } {
  const newest = 'ORDER BY settled_at DESC, wallet DESC, nonce DESC'
  if (wallet === null) {
    return game === null
      ? { from: newest, values: [] }
      : { from: `WHERE game = ? ${newest}`, values: [game] }
  }
  if (game === null) return { from: 'WHERE wallet = ? ORDER BY nonce DESC', values: [wallet] }
  // The plus sign keeps SQLite from reading all wallets' plays of the game.
  return { from: 'WHERE wallet = ? AND +game = ? ORDER BY nonce DESC', values: [wallet, game] }
}

/** Deletes plays beyond the feed's limits. The ledgers keep them permanently. */
export async function trimPlays(
  db: D1Database,
  { inAll = PLAYS_IN_ALL, ofGame = PLAYS_OF_GAME } = {},
): Promise<void> {
  const oldest = await db
    .prepare('SELECT settled_at FROM recent_plays ORDER BY settled_at DESC LIMIT 1 OFFSET ?')
    .bind(inAll - 1)
    .first<{ settled_at: number }>()
  if (!oldest) return
  const trim = db.prepare(
    `DELETE FROM recent_plays WHERE (wallet, slot) IN
       (SELECT wallet, slot FROM recent_plays
        WHERE game = ?1 AND settled_at < min(?2,
          (SELECT settled_at FROM recent_plays
           WHERE game = ?1 ORDER BY settled_at DESC LIMIT 1 OFFSET ?3))
        ORDER BY settled_at LIMIT ?4)`,
  )
  await db.batch(
    GAME_NAMES.map((game) => trim.bind(game, oldest.settled_at, ofGame - 1, TRIMMED_AT_ONCE)),
  )
}
