import { ledger, openingOwner } from '../../src/calls/objects.ts'
import type { WithdrawalStatus } from '../../src/ledger/withdrawal.ts'
import { logFault } from '../../src/log.ts'
import type { Part } from '../kernel/kernel.ts'
import type { RelayerKernel } from './kernel.ts'
import type { Payout } from './payouts.ts'

/** A message to a ledger about one of its withdrawals. */
interface StatusMessage {
  player: string
  vaultId: string
  nonce: number
  status: WithdrawalStatus
  txHash: string | null
  version: number
  /** See `WithdrawalProgress`. */
  nextNonce: number | undefined
}

/** A message to a payment about the prize of its opening. */
interface PrizeMessage {
  opening: string
  isPaid: boolean
  /** Null if another transaction has paid it. */
  txHash: string | null
  version: number
}

/** Reports the results of orders to the objects that gave them. */
export class OrderReports implements Part {
  readonly deliver = {
    status: async (payload: string) => {
      const { player, vaultId, nonce, ...update } = JSON.parse(payload) as StatusMessage
      await ledger(this.#kernel.env, player).withdrawalProgress(vaultId, nonce, update)
    },
    prize: async (payload: string) => {
      const { opening, ...update } = JSON.parse(payload) as PrizeMessage
      await openingOwner(this.#kernel.env, opening).prizeProgress(update)
    },
  }
  readonly #kernel: RelayerKernel

  constructor(kernel: RelayerKernel) {
    this.#kernel = kernel
  }

  /**
   * Queues an order's report in the caller's transaction. No object waits for one on the house's own orders. A refunded
   * withdrawal stays failed while its nonce is burned again.
   * @param nextNonce the player's in the vault, if a transaction that isn't ours has used the withdrawal's
   */
  report(
    { id, order, step }: Payout,
    status: WithdrawalStatus,
    txHash: string | null,
    nextNonce?: number,
  ): void {
    const isRefunded = this.#kernel.payouts.isRefunded(id)
    if (isRefunded && status === 'submitted') return
    if (isRefunded && status === 'confirmed') {
      logFault('payout_paid_after_burn', 'needs an operator', {
        object: this.#kernel.owner.object,
        id,
        step,
      })
    }
    const now = this.#kernel.clock.now()
    const version = this.#kernel.payouts.recordReport(id, txHash, now)
    switch (order.kind) {
      case 'withdrawal': {
        const { player, vaultId, nonce } = order
        const update = { status, txHash, version, nextNonce }
        return this.#add('status', { player, vaultId, nonce, ...update }, now)
      }
      case 'prize': {
        const { opening } = order
        return this.#add('prize', { opening, isPaid: status === 'confirmed', txHash, version }, now)
      }
      case 'result':
      case 'cancel':
        return
    }
  }

  #add(
    kind: keyof OrderReports['deliver'],
    message: StatusMessage | PrizeMessage,
    now: number,
  ): void {
    this.#kernel.outbox.add({ kind, payload: JSON.stringify(message) }, now)
  }
}
