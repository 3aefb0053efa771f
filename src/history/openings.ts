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
         (id, wallet, tx_hash, tier, label, prize, asset, is_paid, prize_tx_hash, opened_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE
         SET is_paid = excluded.is_paid, prize_tx_hash = excluded.prize_tx_hash
         WHERE excluded.is_paid >= openings.is_paid`,
    )
    .bind(id, wallet, txHash, tier, label, prize, asset, isPaid ? 1 : 0, prizeTxHash, openedAt)
    .run()
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
