import type { Address, Hex } from 'viem'
import type { VaultPayment } from '../chain/payments.ts'
import type { World } from '../world/world.ts'
import { rowsOf } from './rounds.ts'

/** A withdrawal that a ledger has accepted. */
export interface Withdrawal extends VaultPayment {
  status: string
}

/** Returns the withdrawals of a wallet by its ledger. */
export function withdrawalsOf(world: World, wallet: string): Withdrawal[] {
  if (!world.objects.find('Ledger', wallet)) return []
  const sql = 'SELECT nonce, token, amount_wei AS amountWei, signature, status FROM withdrawals'
  return rowsOf(world, 'Ledger', wallet, sql).map((row) => ({
    player: wallet as Address,
    token: row['token'] as Withdrawal['token'],
    amountWei: BigInt(String(row['amountWei'])),
    nonce: Number(row['nonce']),
    signature: row['signature'] as Hex,
    status: String(row['status']),
  }))
}
