import type { Opening, PrizeStatus } from '../lootbox/opening.ts'

type Row = {
  id: string
  wallet: string
  tx_hash: string | null
  tier: number
  label: string
  prize: string
  asset: string
  is_paid: number
  prize_tx_hash: string | null
  opened_at: number
}

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
         (id, wallet, tx_hash, tier, label, prize, asset, is_paid, prize_tx_hash, opened_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE
         SET is_paid = excluded.is_paid, prize_tx_hash = excluded.prize_tx_hash
         WHERE excluded.is_paid >= openings.is_paid`,
    )
    .bind(id, wallet, txHash, tier, label, prize, asset, isPaid ? 1 : 0, prizeTxHash, openedAt)
    .run()
}

/** Returns the newest wins of all wallets, newest first. */
export async function newestWins(db: D1Database, limit: number) {
  const { results } = await db
    .prepare('SELECT * FROM openings ORDER BY opened_at DESC LIMIT ?')
    .bind(limit)
    .all<Row>()
  return results.map(({ wallet, tier, label, prize, asset, tx_hash: txHash, opened_at: at }) => ({
    ...{ wallet, tier, label, prize, asset, txHash, at },
  }))
}

/** Returns a wallet's openings with their payment status, newest first. */
export async function openingsOf(db: D1Database, wallet: string, limit: number) {
  const { results } = await db
    .prepare('SELECT * FROM openings WHERE wallet = ? ORDER BY opened_at DESC LIMIT ?')
    .bind(wallet, limit)
    .all<Row>()
  return results.map((row) => ({
    id: row.id,
    txHash: row.tx_hash,
    tier: row.tier,
    label: row.label,
    prize: row.prize,
    asset: row.asset,
    status: row.is_paid === 1 ? 'paid' : 'paying',
    prizeTxHash: row.prize_tx_hash,
    at: row.opened_at,
  }))
}
