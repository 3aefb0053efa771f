import type { Address } from 'viem'
import { vaultWatch } from '../../src/calls/objects.ts'
import { confirmedHead } from '../../src/chain/client.ts'
import { usedNonces } from '../../src/chain/vault.ts'
import { invariant } from '../../src/core/invariant.ts'
import { isRefusal, refuse, type Refusal } from '../../src/core/refusal.ts'
import type { VaultPayout } from '../../src/ledger/withdrawal.ts'
import { refusalToResolve } from '../../src/relayer/payout-state.ts'
import { endByEvents, type WithdrawalOrder } from '../../src/relayer/payout.ts'
import type { RelayerKernel } from './kernel.ts'
import { withdrawalId } from './payouts.ts'

/** Stops withdrawals that operators resolve. */
export class Closer {
  readonly #kernel: RelayerKernel

  constructor(kernel: RelayerKernel) {
    this.#kernel = kernel
  }

  /** See `Relayer.closePayout`. */
  async close(
    order: WithdrawalOrder,
    outcome: 'confirmed' | 'failed',
    actId: string,
  ): Promise<Refusal | { paid: VaultPayout | null }> {
    // Nobody pays a closed withdrawal, so its act must not be refused when it is repeated.
    const closed = this.#kernel.payouts.closedBy(withdrawalId(order), actId)
    if (closed) return closed
    const paid = await this.#paid(order, outcome)
    if (paid && isRefusal(paid)) return paid
    return this.#kernel.transact(() => this.#stop(order, outcome, { actId, paid })) ?? { paid }
  }

  /** Returns the vault's payout with a withdrawal's nonce. Refuses unless it is final and fits the outcome. */
  async #paid(
    order: WithdrawalOrder,
    outcome: 'confirmed' | 'failed',
  ): Promise<Refusal | VaultPayout | null> {
    const { config, env } = this.#kernel
    const { vault } = config
    invariant(vault?.id === order.vaultId, 'operators resolve withdrawals of the configured vault')
    const player = order.player as Address
    const confirmed = Math.max(0, await confirmedHead(vault))
    if ((await usedNonces(vault, player, confirmed)) <= order.nonce) {
      return refuse(
        'withdrawal_pending',
        'No confirmed block uses the nonce of this withdrawal; wait for the relayer to pay it or burn the nonce.',
      )
    }
    const watch = vaultWatch(env, vault.id)
    if (!(await watch.look(player))) {
      return refuse(
        'chain_unavailable',
        "The vault's logs have not all been read. Try again later.",
      )
    }
    const use = await watch.nonceUse(player, order.nonce)
    const end = endByEvents(order, use)
    if (end !== null && end !== outcome) {
      return refuse('idempotency_conflict', `The vault's logs show that this withdrawal is ${end}.`)
    }
    // All events have been read and match the vault's totals, so they lack no payment.
    const { token, amountWei } = use ?? { token: null, amountWei: null }
    const paid = token && amountWei ? { token, amountWei: amountWei.toString() } : null
    if (paid === null && outcome === 'confirmed') {
      return refuse('idempotency_conflict', 'The vault has paid nothing with this nonce.')
    }
    return paid
  }

  #stop(
    order: WithdrawalOrder,
    outcome: 'confirmed' | 'failed',
    { actId, paid }: { actId: string; paid: VaultPayout | null },
  ): Refusal | null {
    const { clock, payouts } = this.#kernel
    const id = withdrawalId(order)
    payouts.add(id, order, 'withdraw', clock.now())
    const payout = payouts.get(id)
    const isUnordered = order.signature === ''
    const event = { kind: 'resolved', as: outcome, isUnordered } as const
    const refusal = refusalToResolve(payout, event)
    if (refusal) return refusal
    if (this.#kernel.applyEvent(payout, event)) payouts.noteAct(id, actId, paid)
    return null
  }
}
