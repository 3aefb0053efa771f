import { ledger, openingOwner } from '../../src/calls/objects.ts'
import { invariant } from '../../src/core/invariant.ts'
import type { WithdrawalStatus } from '../../src/ledger/withdrawal.ts'
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

/** The transaction that a report names. */
export interface ReportedTransaction {
  /** Null if no transaction is known. */
  txHash: string | null
  /** The player's next nonce in the vault, if a transaction that isn't ours has used the withdrawal's. */
  nextNonce?: number | undefined
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

  /** Queues an order's report in the caller's transaction. */
  report(
    { id, order }: Payout,
    status: WithdrawalStatus,
    { txHash, nextNonce }: ReportedTransaction,
  ): void {
    const now = this.#kernel.clock.now()
    const version = this.#kernel.payouts.recordReport(id, txHash, now)
    if (order.kind === 'withdrawal') {
      const { player, vaultId, nonce } = order
      const update = { status, txHash, version, nextNonce }
      return this.#add('status', { player, vaultId, nonce, ...update }, now)
    }
    invariant(order.kind === 'prize', "nobody waits for the house's own orders")
    const { opening } = order
    this.#add('prize', { opening, isPaid: status === 'confirmed', txHash, version }, now)
  }

  #add(
    kind: keyof OrderReports['deliver'],
    message: StatusMessage | PrizeMessage,
    now: number,
  ): void {
    this.#kernel.outbox.add({ kind, payload: JSON.stringify(message) }, now)
  }
}
