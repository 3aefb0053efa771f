import type { Address } from 'viem'
import { vaultWatch } from '../../src/calls/objects.ts'
import { confirmedBelow } from '../../src/chain/client.ts'
import { isDeployed } from '../../src/chain/contract-wallet.ts'
import { isPrizePaid } from '../../src/chain/prizes.ts'
import {
  estimateGas,
  isRefused,
  MAX_GAS,
  nonceOf,
  signCall,
  withMargin,
  type ContractCall,
  type ChainReading,
} from '../../src/chain/sender.ts'
import { usedNonces, vaultRelayer } from '../../src/chain/vault.ts'
import { logFault } from '../../src/log.ts'
import { freshFees } from '../../src/relayer/fees.ts'
import { drawableFrom, MAX_WITHDRAWAL_GAS, SMALL_WITHDRAWAL_GAS } from '../../src/relayer/gas.ts'
import {
  endByEvents,
  pauseMs,
  restMs,
  WASTED_MS,
  WASTES_GAS,
  type StuckCause,
  type WithdrawalOrder,
} from '../../src/relayer/payout.ts'
import { isOldResult } from '../../src/relayer/result.ts'
import { callOf } from './call.ts'
import type { ExternalPayouts } from './external-payouts.ts'
import type { RelayerKernel } from './kernel.ts'
import type { Payout } from './payouts.ts'

/** The interval between tries of a call that succeeds although its estimate fails or is too high. */
const DISPUTED_MS = 15_000
/** A node may be behind for this long. Then such a call counts as refused, if it was tried so often. */
const REFUSED_MS = 120_000
const REFUSED_TRIES = 5
/** How often the vault watch is asked about one nonce. */
const ASK_MS = 60_000
/** How long the watch may not know the nonce before the operator is alerted. The watch itself waits half an hour. */
const LATE_MS = 3_600_000

/** Signs, stores and sends the next transaction of a payout, or finds that it needs none. */
export class Payer {
  readonly #kernel: RelayerKernel
  readonly #externalPayouts: ExternalPayouts
  /** The latest reading in which a payout could not be afforded. */
  #shortAt: ChainReading | null = null
  /** When each payout's nonce was first seen used by a transaction unknown to the vault watch. */
  readonly #usedSince = new Map<string, number>()
  /** Since when, and how often, each payout's call has succeeded although its estimate failed or was too high. */
  readonly #disputes = new Map<string, { since: number; tries: number }>()

  constructor(kernel: RelayerKernel, externalPayouts: ExternalPayouts) {
    this.#kernel = kernel
    this.#externalPayouts = externalPayouts
  }

  /** Returns whether a payout of a look could not be afforded. */
  lacksFunds(reading: ChainReading): boolean {
    return this.#shortAt === reading
  }

  /** Makes the next transaction of a payout, unless it has to wait or the contract would refuse it. */
  async begin(reading: ChainReading, payout: Payout): Promise<void> {
    const { broadcaster, clock, config, gasDraws, payouts, transactions } = this.#kernel
    const { vault, sender, market } = reading
    if (this.#putOff(reading, payout)) return
    const call = await callOf(config, payout)
    const isWithdrawal = payout.step === 'withdraw'
    const gas = await this.#gasOf(reading, payout, {
      call,
      most: isWithdrawal ? MAX_WITHDRAWAL_GAS : MAX_GAS,
    })
    if (gas === null) return
    // A prize is the house's debt, and a result its own.
    const drawn = isWithdrawal && !payout.isBooked ? gas : 0n
    const now = clock.now()
    const waitsUntil = drawableFrom(gasDraws.before(payout, now), drawn, vault.relayer.gasAllowance)
    if (now < waitsUntil)
      return payouts.postpone(payout, now, { dueAt: waitsUntil, cause: WASTES_GAS })
    const limit = withMargin(gas)
    const fees = freshFees(market, vault.relayer.maxFeePerGas)
    // A node refuses a transaction that the account can't pay on top of its others, including those of this reading.
    const freeWei = sender.balanceWei - transactions.heldWei(sender.address)
    if (freeWei < limit * fees.maxFeePerGas) {
      this.#shortAt = reading
      return this.#report('relayer_needs_funding', payout)
    }
    const account = sender.address
    const nonce = await this.#nextNonce(reading)
    const signed = await signCall(vault, call, { nonce, gas: limit, fees })
    const id = this.#kernel.transact(() => {
      // Dropped while the chain was read, or closed by the operator.
      if (!this.#kernel.openSteps().includes(payout.step)) return null
      const event = { kind: 'signed', step: payout.step } as const
      if (!this.#kernel.applyEvent(payouts.get(payout.id), event, { txHash: signed.hash }))
        return null
      const added = transactions.add(account, nonce, payout.id, limit)
      const signedAt = clock.now()
      transactions.addAttempt(added, { ...signed, step: payout.step, signedAt, head: reading.head })
      payouts.serve(payout.order, clock.now())
      if (drawn > 0n) gasDraws.add(payout, added, drawn, clock.now())
      return added
    })
    if (id !== null) await broadcaster.send(vault, id, signed.raw)
  }

  /** Puts off or ends a payout that can't be made now, whatever its call would cost. @returns whether it did */
  #putOff(reading: ChainReading, payout: Payout): boolean {
    const { clock, payouts } = this.#kernel
    const { id, order, step } = payout
    if (order.kind !== 'prize' && order.vaultId !== reading.vault.id) {
      this.#report('payout_vault_not_configured', payout)
      return true
    }
    const now = clock.now()
    const restsUntil = this.#restsUntil(payout, 'sent')
    if (now < restsUntil) {
      // A prize may also fail because prices move.
      const cause = step === 'prize' ? null : WASTES_GAS
      payouts.postpone(payout, now, { dueAt: restsUntil, cause })
      return true
    }
    if (order.kind === 'result' && isOldResult(order, now)) {
      this.#kernel.applyEvent(payouts.get(id), { kind: 'abandoned' })
      return true
    }
    return false
  }

  /** Returns the gas that a payout's call takes; null if it is not to be made, after putting it off or giving it up. */
  async #gasOf(
    reading: ChainReading,
    payout: Payout,
    { call, most }: { call: ContractCall; most: bigint },
  ): Promise<bigint | null> {
    const { clock, payouts } = this.#kernel
    const gas = await this.#estimate(reading, payout, { call, most })
    // A node that is behind or on another branch may refuse it, so one node answers all calls about a withdrawal.
    if (gas === null && !(await isRefused(reading, call, most))) {
      if (await this.#noteDispute(reading, payout)) {
        payouts.postpone(payout, clock.now(), { dueAt: clock.now() + DISPUTED_MS })
        return null
      }
    }
    this.#disputes.delete(payout.id)
    if (gas !== null && !(await this.#isTooDear(reading, payout, gas))) return gas
    await this.#refused(reading, payout)
    return null
  }

  /**
   * Returns the nonce of the account's next transaction. A count ahead of the signed transactions is read once more:
   * one that is too high leaves a gap that stops all payments, while one that is too low delays this payment by two
   * minutes.
   */
  async #nextNonce({ vault, sender: { address, used } }: ChainReading): Promise<number> {
    const next = this.#kernel.transactions.nextNonce(address)
    return used <= next ? next : Math.max(next, Math.min(used, await nonceOf(vault, address)))
  }

  /**
   * Returns the gas that a call takes; null if its estimate fails or is too high. On a rollup the estimate includes the
   * fee for data, which has no bound. So it is too high only if a wallet's code may take it, or the call fails with
   * `most`.
   */
  async #estimate(
    reading: ChainReading,
    payout: Payout,
    { call, most }: { call: ContractCall; most: bigint },
  ): Promise<bigint | null> {
    const estimate = await estimateGas(reading, call)
    if (estimate === null || estimate <= most || (await this.#isPlain(reading, payout)))
      return estimate
    const runsWallet = payout.step === 'withdraw'
    return runsWallet || (await isRefused(reading, call, most)) ? null : estimate
  }

  /**
   * Counts a try of a call that succeeds although its estimate fails or is too high. A wallet's code or a high fee for
   * data can prolong such a dispute, so it ends, except for a payment to a wallet without code.
   * @returns whether to wait for another estimate
   */
  async #noteDispute(reading: ChainReading, payout: Payout): Promise<boolean> {
    const now = this.#kernel.clock.now()
    const { since, tries } = this.#disputes.get(payout.id) ?? { since: now, tries: 0 }
    this.#disputes.set(payout.id, { since, tries: tries + 1 })
    // Withdrawals may have been closed, or the node away. Two moments far apart are no lasting dispute.
    const isLasting = now - since >= REFUSED_MS && tries + 1 >= REFUSED_TRIES
    return !isLasting || this.#isPlain(reading, payout)
  }

  /**
   * Returns whether a wallet's code takes more gas than the service pays for an amount below the minimum. Decided by
   * the estimate, because with less gas the code may do something else.
   */
  async #isTooDear(reading: ChainReading, payout: Payout, gas: bigint): Promise<boolean> {
    const { step, order } = payout
    if (step !== 'withdraw' || order.kind !== 'withdrawal') return false
    if (!order.isSmall || gas <= SMALL_WITHDRAWAL_GAS) return false
    return !(await this.#isPlain(reading, payout))
  }

  /**
   * Returns whether a payment is to a wallet without code. It can't waste any gas, whatever the token or the chain
   * takes.
   */
  async #isPlain({ vault }: ChainReading, { step, order }: Payout): Promise<boolean> {
    if (step !== 'withdraw' || order.kind !== 'withdrawal') return false
    return !(await isDeployed(vault, order.player as Address))
  }

  /**
   * Returns when a prize or a player that wasted gas may try again, as the next try would probably fail too. A
   * confirmed payment that the chain has dropped doesn't wait: until it is made again, its ledger differs from the
   * vault.
   * @param of see {@link Transactions.wasted}
   */
  #restsUntil({ id, step, order, isBooked }: Payout, of: 'sent' | 'all'): number {
    if (step !== 'prize' && step !== 'withdraw') return 0
    if (isBooked) return 0
    const whose = order.kind === 'withdrawal' ? `${order.vaultId}:${order.player}:` : id
    const since = this.#kernel.clock.now() - WASTED_MS
    const { count, latestAt } = this.#kernel.transactions.wasted(whose, since, of)
    return count > 0 ? latestAt + restMs(step, count) : 0
  }

  /** Handles a call that the contract would refuse. */
  async #refused(reading: ChainReading, payout: Payout): Promise<void> {
    const { clock, payouts } = this.#kernel
    const { order } = payout
    if (order.kind === 'prize') {
      // The prize stays owed until it can be paid, unless another transaction has already paid it.
      if (!(await isPrizePaid(reading.vault, order))) {
        return this.#report('prize_not_payable', payout, pauseMs('prize', payout.pausedMs))
      }
      // The chain may still drop that transaction, which nobody watches.
      const confirmed = Math.max(0, confirmedBelow(reading.head, reading.vault))
      if (!(await isPrizePaid(reading.vault, order, confirmed))) {
        return payouts.postpone(payout, clock.now())
      }
      return this.#kernel.transact(() => {
        const event = { kind: 'ended', as: 'confirmed' } as const
        if (!this.#kernel.applyEvent(payouts.get(payout.id), event)) return
        this.#externalPayouts.note(payout.id, clock.now())
      })
    }
    if (order.kind !== 'withdrawal') {
      this.#kernel.applyEvent(payouts.get(payout.id), { kind: 'abandoned' })
      return this.#report('result_refused', payout)
    }
    await this.#refusedWithdrawal(reading, payout, order)
  }

  /** Gives up a payment that the vault refuses, which burns the player's nonce. */
  async #refusedWithdrawal(
    reading: ChainReading,
    payout: Payout,
    order: WithdrawalOrder,
  ): Promise<void> {
    const { clock, payouts } = this.#kernel
    const { player, nonce } = order
    if ((await vaultRelayer(reading.vault, reading.headHash)) !== reading.sender.address) {
      // The relayer's key changed before the vault had the new account. That is no reason to give up a payment.
      return this.#report('vault_relayer_differs', payout)
    }
    const used = await usedNonces(reading.vault, player as Address, reading.headHash)
    if (used < nonce) {
      // The chain has dropped an earlier transaction, or the node is behind. Both are temporary.
      return this.#report('earlier_withdrawal_missing', payout)
    }
    if (used > nonce) return this.#endByEvents(reading, payout, order)
    if (payout.step === 'withdraw') {
      // A burn costs gas, too. Until the wallet has rested, the payment is tried ever more rarely: its token may be
      // unpaused.
      const now = clock.now()
      const restsUntil = this.#restsUntil(payout, 'all')
      if (now < restsUntil) {
        const dueAt = Math.min(now + pauseMs('withdraw', payout.pausedMs), restsUntil)
        return payouts.postpone(payout, now, { dueAt, cause: WASTES_GAS })
      }
      this.#kernel.applyEvent(payouts.get(payout.id), { kind: 'redirected', step: 'burn' })
      return this.begin(reading, { ...payout, step: 'burn' })
    }
    // A paused vault allows burning one nonce per player. The relayer resumes payments when the vault does.
    this.#kernel.applyEvent(payouts.get(payout.id), { kind: 'redirected', step: 'withdraw' })
    this.#report('withdrawal_not_payable', payout)
  }

  /** Handles a nonce used by a transaction that isn't ours, or no longer is. The vault's events show how. */
  async #endByEvents(
    { vault }: ChainReading,
    payout: Payout,
    order: WithdrawalOrder,
  ): Promise<void> {
    const { clock, payouts } = this.#kernel
    const { id } = payout
    const watch = vaultWatch(this.#kernel.env, vault.id)
    await watch.catchUp()
    const use = await watch.nonceUse(order.player as Address, order.nonce, true)
    const now = clock.now()
    const end = endByEvents(order, use)
    if (use !== null && end === null) {
      return this.#report('nonce_paid_otherwise', payout, ASK_MS)
    }
    if (use === null || end === null) {
      const since = this.#usedSince.get(id) ?? now
      this.#usedSince.set(id, since)
      if (now - since < LATE_MS) return payouts.postpone(payout, now, { dueAt: now + ASK_MS })
      return this.#report('nonce_use_unknown', payout, ASK_MS)
    }
    this.#usedSince.delete(id)
    this.#kernel.transact(() => {
      const event = { kind: 'ended', as: end } as const
      if (this.#kernel.applyEvent(payouts.get(id), event, use)) this.#externalPayouts.note(id, now)
    })
  }

  /** Alerts the operator to a payout that is stuck, and puts it behind the others. */
  #report(event: StuckCause, payout: Payout, waitMs = 0): void {
    logFault(event, 'needs an operator', {
      object: this.#kernel.owner.object,
      id: payout.id,
      step: payout.step,
    })
    const now = this.#kernel.clock.now()
    this.#kernel.payouts.postpone(payout, now, { dueAt: now + waitMs, cause: event })
  }
}
