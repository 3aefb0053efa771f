import type { Address, Hex } from 'viem'
import { broadcast } from '../../src/chain/sender.ts'
import type { Config, VaultConfig } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load.ts'
import { logFault } from '../../src/log.ts'
import { vaultWatch } from '../../src/objects.ts'
import type { UsedNonce } from '../../src/relayer/payout.ts'
import type { Clock } from '../kernel/clock.ts'
import { Kernel } from '../kernel/kernel.ts'
import { News } from './news.ts'
import { Payouts, type Payout } from './payouts.ts'
import { Transactions } from './transactions.ts'

/** The tools that the relayer's parts share. */
export class Shared extends Kernel {
  readonly payouts: Payouts
  readonly transactions: Transactions
  readonly broadcaster: Broadcaster
  readonly news: News
  readonly #env: () => Env

  constructor(ctx: DurableObjectState, env: () => Env) {
    super(ctx)
    this.#env = env
    this.payouts = new Payouts(ctx.storage.sql)
    this.transactions = new Transactions(ctx.storage.sql)
    this.broadcaster = new Broadcaster(this.clock)
    this.news = new News(this)
  }

  get env(): Env {
    return this.#env()
  }

  /** The present configuration. Its key may change during the object's lifetime. */
  get config(): Config {
    return loadConfig(this.env)
  }

  /** Returns how a player's nonce was used on chain; null while the vault watch is not certain. */
  async nonceUse(
    vaultId: string,
    player: Address,
    nonce: number,
  ): Promise<(UsedNonce & { txHash: string }) | null> {
    await vaultWatch(this.env, vaultId).catchUp()
    return vaultWatch(this.env, vaultId).nonceUse(player, nonce)
  }
}

/** Sends signed transactions to the node. */
class Broadcaster {
  readonly #clock: Clock
  /** When each transaction was last sent to the node. After a restart, all are sent again. */
  readonly #sentAt = new Map<number, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Sends a transaction. The node's answer doesn't matter: a later look shows whether it was mined. */
  async send(vault: VaultConfig, id: number, raw: Hex): Promise<void> {
    this.#sentAt.set(id, this.#clock.now())
    try {
      await broadcast(vault, raw)
    } catch (fault) {
      logFault('transaction_broadcast_failed', fault, { id })
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

/** Alerts the operator to a payout that is stuck, and puts it behind the others. */
export function report(
  { payouts, clock }: Shared,
  event: string,
  payout: Payout,
  waitMs = 0,
): void {
  logFault(event, new Error('needs an operator'), { id: payout.id, step: payout.step })
  const now = clock.now()
  payouts.postpone(payout, now, now + waitMs)
}
