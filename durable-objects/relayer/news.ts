import type { Progress, WithdrawalStatus } from '../../src/ledger/withdrawal.ts'
import type { OutboxMessage } from '../kernel/outbox.ts'
import type { Payout } from './payouts.ts'

/** A message to a ledger about one of its withdrawals. */
export interface StatusMessage {
  player: string
  vaultId: string
  nonce: number
  status: WithdrawalStatus
  txHash: string | null
  version: number
}

/** A message to a payment about the prize of its opening. */
export interface PrizeMessage {
  opening: string
  isPaid: boolean
  /** Null where another transaction has paid it. */
  txHash: string | null
  version: number
}

/** Returns the news for the object that gave an order; null where none waits for it. */
export function newsOf(
  order: Payout['order'],
  { status, txHash, version }: Progress,
): OutboxMessage | null {
  if ('prizeId' in order) {
    const isPaid = status === 'confirmed'
    const message: PrizeMessage = { opening: order.opening, isPaid, txHash, version }
    return { kind: 'prize', payload: JSON.stringify(message) }
  }
  if (!('player' in order)) return null
  const { player, vaultId, nonce } = order
  const message: StatusMessage = { player, vaultId, nonce, status, txHash, version }
  return { kind: 'status', payload: JSON.stringify(message) }
}
