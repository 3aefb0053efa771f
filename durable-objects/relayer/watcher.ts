import type { Address, Hash } from 'viem'
import { confirmedBelow } from '../../src/chain/client.ts'
import { isDeployed } from '../../src/chain/contract-wallet.ts'
import {
  callIn,
  confirmedReceipt,
  emptyCall,
  estimateGas,
  gasIn,
  MAX_GAS,
  nonceOf,
  receiptOf,
  signCall,
  withMargin,
  type ContractCall,
  type ChainReading,
  type ChainReceipt,
} from '../../src/chain/sender.ts'
import { usedNonces, vaultRelayer } from '../../src/chain/vault.ts'
import { invariant } from '../../src/core/invariant.ts'
import { logFault } from '../../src/log.ts'
import { highestFees, raisedFees, replacementFees, type Fees } from '../../src/relayer/fees.ts'
import type { OrderStep } from '../../src/relayer/payout.ts'
import { isOldResult } from '../../src/relayer/result.ts'
import { callOf } from './call.ts'
import type { RelayerKernel } from './kernel.ts'
import type { Payout } from './payouts.ts'
import { isOutcome, type Attempt, type Transaction } from './transactions.ts'

/** An unmined transaction is sent to the node again this often. */
const RESEND_MS = 10_000
/** A transaction unmined for this long is replaced by one with higher fees. */
const STUCK_MS = 60_000
/** A used nonce is given up after this long if none of our transactions is found to have used it. */
const LOST_MS = 120_000
/**
 * Confirmed transactions are watched for reorganisations up to this age, or from this depth on up to a shorter one.
 * Depth alone would not do: blocks may come four times a second.
 */
export const WATCH_MS = 1_800_000
const DEEP_BLOCKS = 64
const DEEP_MS = 600_000
export const MAX_WATCHED = 100
/** Nodes keep the state of the newest 128 blocks; older blocks' states are not asked for. */
const KEPT_STATES = 100
/** Mined and confirmed transactions are checked this often. */
export const WATCH_POLL_MS = 15_000

/** Follows signed transactions until they end. */
export class Watcher {
  readonly #kernel: RelayerKernel
  /** When each transaction's nonce was first seen used by a transaction unknown to the node. */
  readonly #lostSince = new Map<number, number>()
  #watchedAt = -Infinity

  constructor(kernel: RelayerKernel) {
    this.#kernel = kernel
  }

  /** Returns transactions to check: unmined ones, those that may be confirmed, and at intervals all. */
  due({ head, vault }: ChainReading): Transaction[] {
    const { clock, transactions } = this.#kernel
    const now = clock.now()
    if (now - this.#watchedAt < WATCH_POLL_MS) {
      return [...transactions.open(), ...transactions.mined(confirmedBelow(head, vault))]
    }
    this.#watchedAt = now
    return [
      ...transactions.open(),
      ...transactions.mined(Number.MAX_SAFE_INTEGER),
      ...transactions.confirmed(MAX_WATCHED),
    ]
  }

  /** Advances one transaction: confirms it, sends it again, replaces it, or reopens it if the chain dropped it. */
  async follow(reading: ChainReading, transaction: Transaction): Promise<void> {
    const { clock, transactions } = this.#kernel
    const { vault, sender } = reading
    const { id, account, nonce } = transaction
    const attempts = transactions.attempts(id)
    const receipts = await Promise.all(attempts.map(({ hash }) => receiptOf(vault, hash)))
    const found = receipts.findIndex((receipt) => receipt !== null)
    const [receipt, attempt] = [receipts[found], attempts[found]]
    const now = clock.now()
    if (receipt && attempt) {
      this.#lostSince.delete(id)
      return this.#seeMined(reading, transaction, { receipt, step: attempt.step })
    }
    if (transaction.state === 'confirmed') {
      logFault('relayer_transaction_reorganised', 'reorganised', {
        object: this.#kernel.owner.object,
        nonce,
      })
    }
    if (transaction.state !== 'open') transactions.setOpen(id)
    const [latest] = attempts
    invariant(latest, `transaction ${nonce} was signed`)
    const used = account === sender.address ? sender.used : await nonceOf(vault, account)
    if (used > nonce) {
      // Another transaction used the nonce, or the nodes' answers are from different moments.
      const since = this.#lostSince.get(id) ?? now
      this.#lostSince.set(id, since)
      if (now - since >= LOST_MS) this.#giveUp(transaction)
      return
    }
    this.#lostSince.delete(id)
    const mayBePast = account !== sender.address && now - latest.signedAt >= LOST_MS
    if (mayBePast && (await this.#isPast(reading, attempts))) return this.#giveUp(transaction)
    await this.#sendAgain(reading, transaction, latest)
  }

  /** Handles a transaction that a node has in a block. */
  async #seeMined(
    reading: ChainReading,
    transaction: Transaction,
    { receipt, step }: { receipt: ChainReceipt; step: OrderStep },
  ): Promise<void> {
    const { clock, transactions } = this.#kernel
    const { head, vault } = reading
    const { id, state, block, endedAt } = transaction
    const depth = head - receipt.block
    const isDeep = receipt.block <= confirmedBelow(head, vault)
    const isKnown = isOutcome(transaction.outcome, receipt)
    if (isDeep && !isKnown) {
      const confirmed = await this.#confirmed(reading, transaction, { hash: receipt.hash, step })
      if (confirmed && !isOutcome(transaction.outcome, confirmed)) {
        const isRefused = step === 'withdraw' && !confirmed.isSuccess
        const isOutOfTurn = isRefused && (await this.#isOutOfTurn(reading, transaction, confirmed))
        return this.#conclude(transaction, { receipt: confirmed, step, isOutOfTurn })
      }
    }
    if (state === 'open' || state === 'mined') return transactions.setMined(id, receipt.block)
    // A reorganisation has moved it. Its outcome may change, so it stays watched.
    if (!isDeep || !isKnown) return
    if (receipt.block !== block) return transactions.setConfirmed(id, receipt, clock.now())
    const ageMs = endedAt === null ? 0 : clock.now() - endedAt
    if (ageMs > (depth >= DEEP_BLOCKS ? DEEP_MS : WATCH_MS)) transactions.close(id)
  }

  /**
   * Returns a transaction's receipt if it is confirmed; otherwise null. The reading's head and the receipt found first
   * may be on different branches. A burn returns the chips irreversibly, so the vault must also show that it has used
   * the player's nonce.
   */
  async #confirmed(
    { head, vault }: ChainReading,
    { payoutId }: Transaction,
    { hash, step }: { hash: Hash; step: OrderStep },
  ): Promise<ChainReceipt | null> {
    const receipt = await confirmedReceipt(vault, hash)
    if (!receipt?.isSuccess || step !== 'burn') return receipt
    const { order } = this.#kernel.payouts.get(payoutId)
    invariant(order.kind === 'withdrawal', 'only the nonces of withdrawals are burned')
    const block = Math.max(receipt.block, head - KEPT_STATES)
    const used = await usedNonces(vault, order.player as Address, block)
    return used > order.nonce ? receipt : null
  }

  /**
   * Returns whether a withdrawal's transaction was mined out of turn. Either the chain had dropped an earlier
   * withdrawal of its player (if the block has both, this one is tried once more, whichever came first), or somebody
   * else had used its nonce in a transaction that the chain may drop, or the vault had another relayer by then.
   */
  async #isOutOfTurn(
    { head, vault }: ChainReading,
    { account, payoutId }: Transaction,
    { block }: ChainReceipt,
  ): Promise<boolean> {
    const { order } = this.#kernel.payouts.get(payoutId)
    if (order.kind !== 'withdrawal') return false
    const oldest = head - KEPT_STATES
    const [used, relayer] = await Promise.all([
      usedNonces(vault, order.player as Address, Math.max(block - 1, oldest)),
      vaultRelayer(vault, Math.max(block, oldest)),
    ])
    return used !== order.nonce || relayer !== account
  }

  /** Returns whether the vault no longer accepts an earlier account and the chain has mined none of these attempts. */
  async #isPast({ vault, sender }: ChainReading, attempts: Attempt[]): Promise<boolean> {
    if ((await vaultRelayer(vault)) !== sender.address) return false
    // Checked once more, because one may have been mined before the vault had the new account.
    const receipts = await Promise.all(attempts.map(({ hash }) => receiptOf(vault, hash)))
    return receipts.every((receipt) => receipt === null)
  }

  /** Sends a transaction again; if it is stuck while the chain advances, with higher fees and enough gas for now. */
  async #sendAgain(
    reading: ChainReading,
    { id, account, nonce, payoutId, gas: signedGas }: Transaction,
    latest: Attempt,
  ): Promise<void> {
    const { broadcaster, clock, config, owner, payouts, transactions } = this.#kernel
    const { vault, sender, head } = reading
    if (broadcaster.sinceSentMs(id) < RESEND_MS) return
    const now = clock.now()
    const payout = payouts.get(payoutId)
    const { order } = payout
    // A transaction signed by an earlier key can only be sent again unchanged.
    const isOwn = account === sender.address
    const isForOldResult = order.kind === 'result' && isOldResult(order, now)
    const step = isOwn && isForOldResult ? 'cancel' : payout.step
    const isOutdated = latest.step !== step
    // While the chain stands still, higher fees change nothing: they would rise each minute and be paid afterwards.
    const hasAdvanced = head > latest.head
    const isStuck = now - latest.signedAt >= STUCK_MS && hasAdvanced
    if (isOwn && (isOutdated || isStuck)) {
      // The replacement makes the same call. Waiting for a new price would block all later nonces.
      const call = isOutdated ? await callOf(config, { ...payout, step }) : callIn(latest.raw)
      const needed = await this.#gasNeeded(reading, { ...payout, step }, call).catch((fault) => {
        // It is sent again all the same.
        logFault('relayer_look_failed', fault, { object: owner.object })
        return 0n
      })
      const gas = needed > signedGas ? withMargin(needed) : signedGas
      // If a node refuses it because it has too little gas, its fees need not rise.
      const unraised = needed > gasIn(latest.raw) ? feesOf(latest) : null
      const fees = feesFor(reading, latest, isOutdated) ?? unraised
      // Nodes refuse a transaction that the balance doesn't cover, and the earlier one is as good.
      if (fees && gas * fees.maxFeePerGas <= sender.balanceWei) {
        const signed = await signCall(vault, call, { nonce, gas, fees })
        if (step !== payout.step) {
          this.#kernel.applyEvent(payouts.get(payoutId), { kind: 'cancelled' })
        }
        transactions.addAttempt(id, { ...signed, step, signedAt: now, head })
        return broadcaster.send(vault, id, signed.raw)
      }
    }
    if (!isOutdated) await broadcaster.send(vault, id, latest.raw)
  }

  /**
   * Returns the gas that a replacement takes now, excluding the gas of a wallet's code. On a rollup it includes the fee
   * for data. A node refuses a transaction with less; with it, even a call that the contract refuses is mined.
   */
  async #gasNeeded(
    reading: ChainReading,
    { step, order }: Payout,
    call: ContractCall,
  ): Promise<bigint> {
    const player = step === 'withdraw' && order.kind === 'withdrawal' ? order.player : null
    const runsCode = player !== null && (await isDeployed(reading.vault, player as Address))
    const estimate = runsCode ? null : await estimateGas(reading, call)
    if (estimate !== null && estimate <= MAX_GAS) return estimate
    return (await estimateGas(reading, { ...emptyCall(reading.vault), data: call.data })) ?? 0n
  }

  /** Records that a transaction is confirmed, together with the consequences for its payout. */
  #conclude(
    { id, payoutId }: Transaction,
    {
      receipt,
      step,
      isOutOfTurn,
    }: { receipt: ChainReceipt; step: OrderStep; isOutOfTurn: boolean },
  ): void {
    const { broadcaster, clock, payouts, transactions } = this.#kernel
    const { isSuccess, hash } = receipt
    broadcaster.forget(id)
    this.#kernel.transact(() => {
      transactions.setConfirmed(id, receipt, clock.now(), isOutOfTurn)
      const hasAnother = !isSuccess && transactions.hasAnother(payoutId, id)
      const event = { kind: 'mined', step, isSuccess, isOutOfTurn, hasAnother } as const
      this.#kernel.applyEvent(payouts.get(payoutId), event, { txHash: hash })
    })
  }

  /** Gives up a nonce. The payout needs another transaction, or the vault's events show how it ended. */
  #giveUp({ id, nonce, payoutId }: Transaction): void {
    const { payouts, transactions } = this.#kernel
    logFault(
      'relayer_nonce_lost',
      'its nonce was used by another transaction or signed by an earlier key',
      { object: this.#kernel.owner.object, nonce },
    )
    this.#lostSince.delete(id)
    this.#kernel.transact(() => {
      transactions.close(id)
      const hasAnother = transactions.hasAnother(payoutId, id)
      this.#kernel.applyEvent(payouts.get(payoutId), { kind: 'lost', hasAnother })
    })
  }
}

function feesOf({ maxFeePerGas, maxPriorityFeePerGas }: Fees): Fees {
  return { maxFeePerGas, maxPriorityFeePerGas }
}

/** Returns the fees of a replacement; null if there should be none. */
function feesFor(
  { vault, market }: ChainReading,
  latest: Attempt,
  isOutdated: boolean,
): Fees | null {
  const cap = vault.relayer.maxFeePerGas
  if (!isOutdated) return raisedFees(latest, market, cap)
  // An outdated call is never sent again, so its nonce would block all later ones without a replacement.
  return replacementFees(latest, market, cap) ?? highestFees(latest, cap)
}
