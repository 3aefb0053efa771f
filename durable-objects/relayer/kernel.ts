import type { Hex } from 'viem'
import { broadcast } from '../../src/chain/sender.ts'
import type { Config, VaultConfig } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load.ts'
import { logFault } from '../../src/log.ts'
import { areWithdrawalsClosed } from '../../src/operator/modes.ts'
import { nextPayout, type PayoutEvent } from '../../src/relayer/payout-state.ts'
import { ORDER_STEPS, WITHDRAWAL_STEPS, type OrderStep } from '../../src/relayer/payout.ts'
import type { Clock } from '../kernel/clock.ts'
import { Kernel } from '../kernel/kernel.ts'
import { ModesReplica } from '../kernel/modes-replica.ts'
import { ownerOf } from '../kernel/owner.ts'
import { GasDraws } from './gas-draws.ts'
import { OrderReports, type ReportedTransaction } from './order-reports.ts'
import { Payouts, type Payout } from './payouts.ts'
import { Transactions } from './transactions.ts'

/** The tools that the relayer's parts share. */
export class RelayerKernel extends Kernel {
  readonly modes: ModesReplica
  readonly payouts: Payouts
  readonly gasDraws: GasDraws
  readonly transactions: Transactions
  readonly broadcaster: Broadcaster
  readonly reports: OrderReports
  readonly #chainId: number
  readonly #env: () => Env

  constructor(ctx: DurableObjectState, env: () => Env) {
    super(ctx, ownerOf('Relayer', ctx, env()))
    this.#chainId = Number(ctx.id.name)
    this.#env = env
    this.modes = new ModesReplica(ctx.storage.sql, this.owner.object)
    this.payouts = new Payouts(ctx.storage.sql)
    this.gasDraws = new GasDraws(ctx.storage.sql)
    this.transactions = new Transactions(ctx.storage.sql)
    this.broadcaster = new Broadcaster(this.clock, this.owner.object)
    this.reports = new OrderReports(this)
  }

  get env(): Env {
    return this.#env()
  }

  /** The current configuration. Its key may change during the object's lifetime. */
  get config(): Config {
    return loadConfig(this.env)
  }

  /**
   * The configured vault; null unless it is on the chain that the object is named for. Another chain shows nothing
   * about this one's orders.
   */
  get vault(): VaultConfig | null {
    const { vault } = this.config
    return vault?.chainId === this.#chainId ? vault : null
  }

  /**
   * Stores the change that an event makes to a payout read in the same transaction, and queues its report.
   * @param by the transaction to report
   * @returns whether the event changes or reports anything
   */
  applyEvent(
    payout: Payout,
    event: PayoutEvent,
    by: ReportedTransaction = { txHash: null },
  ): boolean {
    const change = nextPayout(payout, event)
    if (!change) return false
    const { next, report, paidAfterBurn: step } = change
    const { id } = payout
    if (next) this.payouts.write(id, next)
    if (step) {
      logFault('payout_paid_after_burn', 'needs an operator', {
        object: this.owner.object,
        id,
        step,
      })
    }
    if (report) this.reports.report(payout, report, by)
    return true
  }

  /** Returns the steps that may begin now. Withdrawals wait while the operator has closed them. */
  openSteps(): readonly OrderStep[] {
    const areClosed = areWithdrawalsClosed(this.modes.changes, this.clock.now())
    return ORDER_STEPS.filter((step) => !areClosed || !WITHDRAWAL_STEPS.includes(step))
  }
}

/** Sends signed transactions to the node. */
class Broadcaster {
  readonly #clock: Clock
  readonly #object: string
  /** When each transaction was last sent to the node. After a restart, all are sent again. */
  readonly #sentAt = new Map<number, number>()

  constructor(clock: Clock, object: string) {
    this.#clock = clock
    this.#object = object
  }

  /** Sends a transaction. The node's answer doesn't matter: a later reading shows whether it was mined. */
  async send(vault: VaultConfig, id: number, raw: Hex): Promise<void> {
    this.#sentAt.set(id, this.#clock.now())
    try {
      await broadcast(vault, raw)
    } catch (fault) {
      logFault('transaction_broadcast_failed', fault, { object: this.#object, id })
    }
  }

  /** Returns how long ago a transaction was sent to the node, in milliseconds. */
  sinceSentMs(id: number): number {
    return this.#clock.now() - (this.#sentAt.get(id) ?? -Infinity)
  }

  /** Forgets a finished transaction. */
  forget(id: number): void {
    this.#sentAt.delete(id)
  }
}
