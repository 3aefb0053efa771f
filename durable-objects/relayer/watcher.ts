import {
  callIn,
  nonceOf,
  receiptOf,
  signCall,
  type Look,
  type Receipt,
} from '../../src/chain/sender.ts'
import { vaultRelayer } from '../../src/chain/vault.ts'
import { invariant } from '../../src/core/invariant.ts'
import { logFault } from '../../src/log.ts'
import { replacementFees } from '../../src/relayer/fees.ts'
import { afterMined, type OrderStep } from '../../src/relayer/payout.ts'
import { callOf } from './call.ts'
import type { Shared } from './shared.ts'
import { outcomeOf, type Attempt, type Transaction } from './transactions.ts'

/** A transaction in no block is given to the node again this often. */
const RESEND_MS = 10_000
/** One that has been in no block for this long is replaced by one that pays more. */
const STUCK_MS = 60_000
/** A nonce that none of our transactions is seen to have used is given up after this long. */
const LOST_MS = 120_000
/** A confirmed transaction is watched for a reorganisation up to this depth or age. */
const WATCH_BLOCKS = 64
const WATCH_MS = 1_800_000
const MOST_WATCHED = 100
/** What is in a block or confirmed is looked at this often. */
export const WATCH_POLL_MS = 15_000

/** Brings signed transactions to their end. */
export class Watcher {
  readonly #shared: Shared
  /** Since when each transaction's nonce has been used, by none that the node knows of. */
  readonly #lostSince = new Map<number, number>()
  #watchedAt = -Infinity

  constructor(shared: Shared) {
    this.#shared = shared
  }

  /** Returns what is due: what is in no block, what may have its confirmations, now and then everything. */
  due({ head, vault }: Look): Transaction[] {
    const { clock, transactions } = this.#shared
    const now = clock.now()
    if (now - this.#watchedAt < WATCH_POLL_MS) {
      return [...transactions.open(), ...transactions.mined(head - vault.confirmations + 1)]
    }
    this.#watchedAt = now
    return [
      ...transactions.open(),
      ...transactions.mined(Number.MAX_SAFE_INTEGER),
      ...transactions.confirmed(MOST_WATCHED),
    ]
  }

  /** Brings one transaction on: confirmed, sent again, replaced, or taken back by the chain. */
  async follow(look: Look, transaction: Transaction): Promise<void> {
    const { clock, transactions } = this.#shared
    const { vault, sender } = look
    const { id, account, nonce } = transaction
    const attempts = transactions.attempts(id)
    const receipts = await Promise.all(attempts.map(({ hash }) => receiptOf(vault, hash)))
    const found = receipts.findIndex((receipt) => receipt !== null)
    const [receipt, attempt] = [receipts[found], attempts[found]]
    const now = clock.now()
    if (receipt && attempt) {
      this.#lostSince.delete(id)
      return this.#seeMined(look, transaction, { receipt, step: attempt.step })
    }
    if (transaction.state === 'confirmed') {
      const fault = new Error('reorganised')
      logFault('relayer_transaction_reorganized', fault, { nonce })
    }
    if (transaction.state !== 'open') transactions.setOpen(id)
    const [latest] = attempts
    invariant(latest, `transaction ${nonce} was signed`)
    const used = account === sender.address ? sender.used : await nonceOf(vault, account)
    if (used > nonce) {
      // Another transaction took the nonce, or the nodes' answers are not of one moment.
      const since = this.#lostSince.get(id) ?? now
      this.#lostSince.set(id, since)
      if (now - since >= LOST_MS) this.#giveUp(transaction)
      return
    }
    this.#lostSince.delete(id)
    const mayBePast = account !== sender.address && now - latest.signedAt >= LOST_MS
    if (mayBePast && (await this.#isPast(look, attempts))) return this.#giveUp(transaction)
    await this.#sendAgain(look, transaction, latest)
  }

  /** A node has a transaction in a block. */
  #seeMined(
    { head, vault }: Look,
    transaction: Transaction,
    { receipt, step }: { receipt: Receipt; step: OrderStep },
  ): void {
    const { clock, transactions } = this.#shared
    const { id, state, endedAt } = transaction
    const depth = head - receipt.block
    if (depth + 1 >= vault.confirmations && transaction.outcome !== outcomeOf(receipt)) {
      return this.#conclude(transaction, step, receipt)
    }
    if (state === 'open' || state === 'mined') return transactions.setMined(id, receipt.block)
    const isOld = endedAt !== null && clock.now() - endedAt > WATCH_MS
    if (depth >= WATCH_BLOCKS || isOld) transactions.close(id)
  }

  /** Whether the vault takes nothing from an earlier account any more, and has taken none of these. */
  async #isPast({ vault, sender }: Look, attempts: Attempt[]): Promise<boolean> {
    if ((await vaultRelayer(vault)) !== sender.address) return false
    // Asked once more: one may have been mined before the vault had the new account.
    const receipts = await Promise.all(attempts.map(({ hash }) => receiptOf(vault, hash)))
    return receipts.every((receipt) => receipt === null)
  }

  /** Gives a transaction to the node again, in a form that pays more where it is stuck. */
  async #sendAgain(
    look: Look,
    { id, account, nonce, payoutId, gas }: Transaction,
    latest: Attempt,
  ): Promise<void> {
    const { broadcaster, clock, config, payouts, transactions } = this.#shared
    const { vault, sender, market } = look
    const now = clock.now()
    const payout = payouts.get(payoutId)
    const isOutdated = latest.step !== payout.step
    const isStuck = now - latest.signedAt >= STUCK_MS
    // What an earlier key has signed can only be sent again as it is.
    const mayReplace = account === sender.address && (isOutdated || isStuck)
    const fees = mayReplace ? replacementFees(latest, market, vault.relayer.maxFeePerGas) : null
    if (fees) {
      // A stuck one makes the same call: it must not wait for a price, with all later nonces behind it.
      const call = isOutdated ? await callOf(config, payout) : callIn(latest.raw)
      const signed = await signCall(vault, call, { nonce, gas, fees })
      transactions.addAttempt(id, { ...signed, step: payout.step, signedAt: now })
      return broadcaster.send(vault, id, signed.raw)
    }
    if (broadcaster.sinceSentMs(id) >= RESEND_MS && !isOutdated) {
      await broadcaster.send(vault, id, latest.raw)
    }
  }

  /** A transaction is confirmed: what follows from it for its payout is written with it. */
  #conclude({ id, payoutId }: Transaction, step: OrderStep, receipt: Receipt): void {
    const { broadcaster, clock, news, payouts, transactions } = this.#shared
    const after = afterMined(step, receipt)
    const payout = payouts.get(payoutId)
    broadcaster.forget(id)
    this.#shared.transact(() => {
      transactions.setConfirmed(id, receipt, clock.now())
      // It has ended already, by another transaction or by its owner's act: see src/ledger/withdrawal.ts.
      if (payout.state === 'failed' || payout.state === 'closed') {
        if (after.kind === 'confirmed') {
          const fault = new Error('needs an operator')
          logFault('payout_paid_after_burn', fault, { id: payoutId, step })
        }
        return
      }
      if (after.kind === 'again') payouts.set(payoutId, after.step, 'queued')
      else {
        payouts.set(payoutId, payout.step, after.kind)
        news.tell(payout, after.kind, receipt.hash)
      }
    })
  }

  /** The nonce can pay nothing any more: the payout needs another transaction, or the vault's logs say how it ended. */
  #giveUp({ id, nonce, payoutId }: Transaction): void {
    const { payouts, transactions } = this.#shared
    const fault = new Error('used by another transaction, or of an earlier key')
    logFault('relayer_nonce_lost', fault, { nonce })
    this.#lostSince.delete(id)
    const payout = payouts.get(payoutId)
    this.#shared.transact(() => {
      transactions.close(id)
      if (payout.state === 'failed' || payout.state === 'closed') return
      // Also where it was confirmed, and the chain took it back. A result waits for nothing.
      const next = payout.step === 'record' ? 'failed' : 'queued'
      payouts.set(payoutId, payout.step, next)
    })
  }
}
