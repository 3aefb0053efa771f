import type { Opening, PrizeStatus } from '../lootbox/opening.ts'

/** Writes an opening and its prize's status. Safe to repeat; a paid prize stays paid. */
export async function saveOpening(
  db: D1Database,
  opening: Opening,
  { isPaid, txHash: prizeTxHash }: PrizeStatus,
): Promise<void> {
  const { id, wallet, txHash, tier, label, prize, asset, openedAt } = opening
  await db
    .prepare(
      `INSERT INTO openings
         (id, wallet, tx_hash, tier, label, prize, asset, is_paid, prize_tx_hash, opened_at, opening)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE
         SET is_paid = excluded.is_paid, prize_tx_hash = excluded.prize_tx_hash
         WHERE excluded.is_paid >= openings.is_paid`,
    )
    .bind(
      id,
      wallet,
      txHash,
      tier,
      label,
      prize,
      asset,
      isPaid ? 1 : 0,
      prizeTxHash,
      openedAt,
      JSON.stringify(opening),
    )
    .run()
}

/** Returns the prizes of a time, by asset and amount, in the asset's smallest unit. Times in unix milliseconds. */
export async function prizesWon(
  db: D1Database,
  from: number,
  to: number,
): Promise<{ asset: string; amountWei: bigint }[]> {
  const { results } = await db
    .prepare(
      `SELECT asset, prize, count(*) AS count FROM openings
       WHERE opened_at >= ? AND opened_at < ? GROUP BY asset, prize ORDER BY asset, prize`,
    )
    .bind(from, to)
    .all<{ asset: string; prize: string; count: number }>()
  return results
    .map(({ asset, prize, count }) => ({ asset, amountWei: BigInt(prize) * BigInt(count) }))
    .filter(({ amountWei }) => amountWei > 0n)
}

type Won = Pick<Opening, 'wallet' | 'txHash' | 'tier' | 'label' | 'prize' | 'asset'>

/** Returns the newest wins of all wallets, newest first. */
export async function newestWins(db: D1Database, limit: number) {
  const { results } = await db
    .prepare(
      `SELECT wallet, tier, label, prize, asset, tx_hash AS txHash, opened_at AS at
       FROM openings ORDER BY opened_at DESC LIMIT ?`,
    )
    .bind(limit)
    .all<Won & { at: number }>()
  return results
}

type Listed = Omit<Won, 'wallet'> & {
  id: string
  status: 'paid' | 'paying'
  prizeTxHash: string | null
  at: number
}

/** Returns a wallet's openings with their payment status, newest first. */
export async function openingsOf(db: D1Database, wallet: string, limit: number) {
  const { results } = await db
    .prepare(
      `SELECT id, tx_hash AS txHash, tier, label, prize, asset,
         iif(is_paid, 'paid', 'paying') AS status, prize_tx_hash AS prizeTxHash, opened_at AS at
       FROM openings WHERE wallet = ? ORDER BY opened_at DESC LIMIT ?`,
    )
    .bind(wallet, limit)
    .all<Listed>()
  return results
}

/** Returns openings from before a time that are not marked as exported, by their ids. */
export async function unexportedOpenings(
  db: D1Database,
  { before, after, limit }: { before: number; after: string; limit: number },
): Promise<Opening[]> {
  const { results } = await db
    .prepare(
      `SELECT opening FROM openings
       WHERE is_exported = 0 AND id > ? AND opened_at < ? ORDER BY id LIMIT ?`,
    )
    .bind(after, before, limit)
    .all<{ opening: string }>()
  return results.map(({ opening }) => JSON.parse(opening) as Opening)
}

/** Marks openings as exported. Safe to repeat. */
export async function markExported(db: D1Database, ids: string[]): Promise<void> {
  await db
    .prepare('UPDATE openings SET is_exported = 1 WHERE id IN (SELECT value FROM json_each(?))')
    .bind(JSON.stringify(ids))
    .run()
}
