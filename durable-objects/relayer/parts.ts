import type { Address, Hex } from 'viem'
import { broadcast } from '../../src/chain/sender.ts'
import type { Config, VaultConfig } from '../../src/config/config.ts'
import type { WithdrawalStatus } from '../../src/ledger/withdrawal.ts'
import { logFault } from '../../src/log.ts'
import type { UsedNonce } from '../../src/relayer/payout.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Settled } from '../kernel/transact.ts'
import type { Payout, Payouts } from './payouts.ts'
import type { Transactions } from './transactions.ts'

/** What the relayer's parts work with. */
export interface Parts {
  /** The present configuration: its key may change while the object lives. */
  config: () => Config
  clock: Clock
  payouts: Payouts
  transactions: Transactions
  broadcaster: Broadcaster
  /** How a player's nonce was used on chain; null while the vault watch cannot say for certain. */
  nonceUse: (
    vaultId: string,
    player: Address,
    nonce: number,
  ) => Promise<(UsedNonce & { txHash: string }) | null>
  commit: <T>(work: () => Settled<T>) => Settled<T>
  /** Queues the news for the object that gave the order, in the caller's transaction. */
  tell: (payout: Payout, status: WithdrawalStatus, txHash: string | null) => void
}

/** Gives signed transactions to the node. */
export class Broadcaster {
  readonly #clock: Clock
  /** When each transaction was last given to the node. After a restart all are given again. */
  readonly #sentAt = new Map<number, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** What the node says to it does not matter: whether it is in a block is looked at later. */
  async send(vault: VaultConfig, id: number, raw: Hex): Promise<void> {
    this.#sentAt.set(id, this.#clock.now())
    try {
      await broadcast(vault, raw)
    } catch (fault) {
      logFault('the node did not take a transaction', fault, { id })
    }
  }

  /** How long ago a transaction was given to the node, in milliseconds. */
  sinceSentMs(id: number): number {
    return this.#clock.now() - (this.#sentAt.get(id) ?? -Infinity)
  }

  /** The transaction has ended. */
  forget(id: number): void {
    this.#sentAt.delete(id)
  }
}

/** Tells the operator of a payout that cannot go on alone, and puts it behind the others. */
export function report({ payouts, clock }: Parts, what: string, payout: Payout, waitMs = 0): void {
  logFault(what, new Error('needs an operator'), { id: payout.id, step: payout.step })
  const now = clock.now()
  payouts.postpone(payout, now, now + waitMs)
}
