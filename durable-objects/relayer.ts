import { DurableObject } from 'cloudflare:workers'
import type { Address, Hex } from 'viem'
import {
  broadcast,
  callIn,
  estimateGas,
  lookAt,
  nonceOf,
  receiptOf,
  signCall,
  type Look,
  type Receipt,
} from '../src/chain/sender.ts'
import { isPrizePaid } from '../src/chain/prizes.ts'
import { usedNonces, vaultRelayer } from '../src/chain/vault.ts'
import { loadConfig, type VaultConfig } from '../src/config.ts'
import { invariant } from '../src/invariant.ts'
import type { WithdrawalStatus } from '../src/ledger/withdrawal.ts'
import { logFault } from '../src/log.ts'
import { ledger, openingOwner } from '../src/objects.ts'
import type { PrizeOrder } from '../src/relayer/prize.ts'
import { freshFees, replacementFees } from '../src/relayer/fees.ts'
import {
  afterMined,
  restMs,
  type OrderStep,
  type PayoutOrder,
  type ResultOrder,
} from '../src/relayer/payout.ts'
import { Alarm, earliest } from './kernel/alarm.ts'
import { Clock } from './kernel/clock.ts'
import { migrate } from './kernel/migrations.ts'
import { Outbox, OUTBOX_MIGRATION, type OutboxMessage } from './kernel/outbox.ts'
import { transact, type Settled } from './kernel/transact.ts'
import { callOf } from './relayer/call.ts'
import {
  endOf,
  newsOf,
  RELAYER_MIGRATION,
  RelayerStore,
  WASTED_MIGRATION,
  type Attempt,
  type Payout,
  type PrizeMessage,
  type StatusMessage,
  type Transaction,
} from './relayer/store.ts'

/** How often the chain is looked at while something is under way, and while something waits. */
const POLL_MS = 2_000
const WATCH_POLL_MS = 15_000
/** A transaction in no block is given to the node again this often. */
const RESEND_MS = 10_000
/** One in no block for so long is replaced by one that pays more. */
const STUCK_MS = 60_000
/** A nonce that is used up by none of our transactions is given up after so long. */
const LOST_MS = 120_000
/** A confirmed transaction is watched so deep, or so long, for a reorganisation. */
const WATCH_BLOCKS = 64
const WATCH_MS = 1_800_000
/** A result that has waited for longer is not recorded: the vault would take it for today's. */
const RESULT_MS = 300_000
const MOST_IN_FLIGHT = 20
const MOST_WATCHED = 100

/**
 * The service's signing account on one chain: its nonces, what it has signed and sent, and what
 * became of it. A transaction is stored before it is sent, so whatever breaks can be repeated.
 */
export class Relayer extends DurableObject<Env> {
  readonly #clock = new Clock()
  readonly #alarm = new Alarm(this.ctx.storage)
  readonly #store = new RelayerStore(this.ctx.storage.sql)
  readonly #outbox = new Outbox(this.ctx.storage.sql, (message) => this.#deliver(message))
  /** When each transaction was last given to the node. After a restart all are given again. */
  readonly #sentAt = new Map<number, number>()
  /** Since when each transaction's nonce is used up, and by none that the node knows of. */
  readonly #lostSince = new Map<number, number>()
  #watchedAt = -Infinity
  /** Whether there is an order that no look at the chain has come to. */
  #hasNewOrder = false

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    migrate(ctx.storage, [RELAYER_MIGRATION, OUTBOX_MIGRATION, WASTED_MIGRATION])
    void ctx.blockConcurrencyWhile(() => this.#alarm.load())
  }

  /** Takes a withdrawal over from its ledger. Safe to repeat. */
  async pay(order: PayoutOrder): Promise<void> {
    this.#take(`${order.vaultId}:${order.player}:${order.nonce}`, order, 'withdraw')
  }

  /** Takes over a prize that is owed. Safe to repeat. */
  async payPrize(order: PrizeOrder): Promise<void> {
    this.#take(`prize:${order.prizeId}`, order, 'prize')
  }

  /** Returns all prizes, with their openings, in the order of their ids after one of them. */
  async prizes(after: string | null, limit: number): Promise<{ id: string; opening: string }[]> {
    return this.#store.prizes(after ?? '', limit)
  }

  /** Tells the vault what the house has won so far. A total: only the latest counts. */
  async record(order: ResultOrder): Promise<void> {
    const series = `${order.vaultId}:result:${order.token}:`
    this.#store.dropQueued(series)
    this.#take(series + this.#clock.now(), order, 'record')
  }

  /** Sees to it that what is under way is looked at, should an alarm have been lost. */
  async sweep(): Promise<void> {
    const now = this.#clock.now()
    this.#alarm.wakeBy(earliest(this.#outbox.nextDueAt(now), this.#nextLookAt(now)), now)
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#alarm.run(info, this.#clock.now(), async () => {
      await this.#advance()
      const now = this.#clock.now()
      await this.#outbox.drain(now)
      return earliest(this.#outbox.nextDueAt(now), this.#nextLookAt(now))
    })
  }

  #take(id: string, order: Payout['order'], step: OrderStep): void {
    const now = this.#clock.now()
    this.#store.add(id, order, step, now)
    this.#hasNewOrder = true
    this.#alarm.wakeBy(now, now)
  }

  #nextLookAt(now: number): number | null {
    if (this.#hasNewOrder || this.#store.open().length > 0) return now + POLL_MS
    // What is still queued waits for funds or for an operator.
    const isWaiting = this.#store.mined(1).length > 0 || this.#store.queued(1).length > 0
    return isWaiting ? now + WATCH_POLL_MS : null
  }

  /** Looks at the chain once and does what follows. A node that is down is asked again later. */
  async #advance(): Promise<void> {
    const { vault } = loadConfig(this.env)
    if (!vault) return
    try {
      const look = await lookAt(vault)
      for (const transaction of this.#toFollow()) {
        await this.#alone(transaction.payoutId, () => this.#follow(look, transaction))
      }
      this.#hasNewOrder = false
      const room = Math.max(0, MOST_IN_FLIGHT - this.#store.open().length)
      for (const payout of this.#store.queued(room)) {
        await this.#alone(payout.id, () => this.#begin(look, payout))
      }
    } catch (fault) {
      logFault('the relayer could not finish its look at the chain', fault)
    }
  }

  /** What is under way, and now and then what is only watched. */
  #toFollow(): Transaction[] {
    const now = this.#clock.now()
    if (now - this.#watchedAt < WATCH_POLL_MS) return this.#store.open()
    this.#watchedAt = now
    return [...this.#store.open(), ...this.#store.mined(MOST_WATCHED)]
  }

  /** One payout that fails, however often, never holds up the others. */
  async #alone(payoutId: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (fault) {
      logFault('the relayer could not bring a payout on', fault, { id: payoutId })
      this.#store.postpone(payoutId, this.#clock.now())
    }
  }

  /** Brings one transaction on: confirmed, sent again, replaced, or taken back by the chain. */
  async #follow(look: Look, transaction: Transaction): Promise<void> {
    const { vault, head, sender } = look
    const { id, account, nonce } = transaction
    const attempts = this.#store.attempts(id)
    const receipts = await Promise.all(attempts.map(({ hash }) => receiptOf(vault, hash)))
    const found = receipts.findIndex((receipt) => receipt !== null)
    const [receipt, attempt] = [receipts[found], attempts[found]]
    const now = this.#clock.now()
    if (receipt && attempt) {
      const isConfirmed = head - receipt.block + 1 >= vault.confirmations
      if (isConfirmed && transaction.end !== endOf(receipt)) {
        this.#conclude(transaction, attempt.step, receipt)
      } else if (transaction.minedAt !== null) {
        const isDeep = head - receipt.block >= WATCH_BLOCKS || now - transaction.minedAt > WATCH_MS
        if (isDeep) this.#store.close(id)
      }
      this.#lostSince.delete(id)
      return
    }
    if (transaction.state === 'mined') {
      const fault = new Error('reorganised')
      logFault('the chain took back a transaction of the relayer', fault, { nonce })
      this.#store.setTransaction(id, 'open', null)
    }
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
    const { vault, sender, market } = look
    const now = this.#clock.now()
    const payout = this.#store.payout(payoutId)
    const isOutdated = latest.step !== payout.step
    const isStuck = now - latest.signedAt >= STUCK_MS
    // What an earlier key has signed can only be sent again as it is.
    const mayReplace = account === sender.address && (isOutdated || isStuck)
    const fees = mayReplace ? replacementFees(latest, market, vault.relayer.maxFeePerGas) : null
    if (fees) {
      // A stuck one makes the same call: it must not wait for a price, with all later nonces behind it.
      const call = isOutdated ? await callOf(loadConfig(this.env), payout) : callIn(latest.raw)
      const signed = await signCall(vault, call, { nonce, gas, fees })
      this.#store.addAttempt(id, { ...signed, step: payout.step, signedAt: now })
      return this.#send(vault, id, signed.raw)
    }
    if (now - (this.#sentAt.get(id) ?? -Infinity) >= RESEND_MS && !isOutdated) {
      await this.#send(vault, id, latest.raw)
    }
  }

  /** A transaction is confirmed: what follows from it for its payout is written with it. */
  #conclude({ id, payoutId }: Transaction, step: OrderStep, receipt: Receipt): void {
    const after = afterMined(step, receipt)
    const payout = this.#store.payout(payoutId)
    this.#commit(() => {
      this.#store.setTransaction(id, 'mined', {
        end: endOf(receipt),
        at: this.#clock.now(),
      })
      // The chips have come back: nothing that happens on chain takes them away again.
      if (payout.state === 'failed') {
        if (after.kind === 'confirmed')
          this.#report('a payout was paid after its nonce was burned', payout)
        return
      }
      if (after.kind === 'again') this.#store.setPayout(payoutId, after.step, 'queued')
      else {
        this.#store.setPayout(payoutId, payout.step, after.kind)
        this.#tell(payout, after.kind, receipt.hash)
      }
    })
  }

  /** The nonce can pay nothing any more: the payout needs another transaction. */
  #giveUp({ id, nonce, payoutId }: Transaction): void {
    const fault = new Error('used by another transaction, or of an earlier key')
    logFault('a nonce of the relayer is lost', fault, { nonce })
    this.#lostSince.delete(id)
    const payout = this.#store.payout(payoutId)
    this.#commit(() => {
      this.#store.setTransaction(id, 'closed', null)
      // Also where it was confirmed, and the chain took it back. A result waits for nothing.
      const next = payout.step === 'record' ? 'failed' : 'queued'
      if (payout.state !== 'failed') this.#store.setPayout(payoutId, payout.step, next)
    })
  }

  /** Signs, stores and sends the next transaction of a payout. */
  async #begin(look: Look, payout: Payout): Promise<void> {
    const { vault, sender, market } = look
    if ('vaultId' in payout.order && payout.order.vaultId !== vault.id) {
      return this.#report('a payout is for a vault that is not configured', payout)
    }
    if (this.#isResting(payout)) return this.#store.postpone(payout.id, this.#clock.now())
    if ('resultWei' in payout.order && this.#clock.now() - payout.order.at > RESULT_MS) {
      return this.#store.setPayout(payout.id, payout.step, 'failed')
    }
    const call = await callOf(loadConfig(this.env), payout)
    const gas = await estimateGas(vault, call)
    if (gas === null) return this.#refused(look, payout)
    const fees = freshFees(market, vault.relayer.maxFeePerGas)
    if (sender.balanceWei < gas * fees.maxFeePerGas) {
      return this.#report('the relayer needs funding', payout)
    }
    const account = sender.address
    const nonce = Math.max(this.#store.nextNonce(account), sender.used)
    const signed = await signCall(vault, call, { nonce, gas, fees })
    const signedAt = this.#clock.now()
    const id = this.#commit(() => {
      const added = this.#store.addTransaction(account, nonce, payout.id, gas)
      this.#store.addAttempt(added, { ...signed, step: payout.step, signedAt })
      this.#store.setPayout(payout.id, payout.step, 'sent')
      this.#tell(payout, 'submitted', signed.hash)
      return added
    })
    await this.#send(vault, id, signed.raw)
  }

  /** Whether a prize, or a player, waits: gas was spent on it for nothing, and more often than not again. */
  #isResting({ id, step, order }: Payout): boolean {
    if (step !== 'prize' && step !== 'withdraw') return false
    const whose = 'player' in order ? `${order.vaultId}:${order.player}:` : id
    const { count, latestAt } = this.#store.wasted(whose)
    return count > 0 && this.#clock.now() < latestAt + restMs(count)
  }

  /** The contract would refuse the call: a payment is given up, which burns the player's nonce. */
  async #refused(look: Look, payout: Payout): Promise<void> {
    const { order } = payout
    if ('prizeId' in order) {
      // It is owed until it can be paid, unless another transaction has paid it already.
      if (await isPrizePaid(look.vault, order)) {
        return this.#commit(() => {
          this.#store.setPayout(payout.id, payout.step, 'confirmed')
          this.#tell(payout, 'confirmed', null)
        })
      }
      return this.#report('a prize cannot be paid now', payout)
    }
    if (!('player' in order)) {
      this.#store.setPayout(payout.id, payout.step, 'failed')
      return this.#report('the vault refuses a result', payout)
    }
    if ((await vaultRelayer(look.vault)) !== look.sender.address) {
      // Its key was changed before the vault knew: nobody's payment is given up for that.
      return this.#report('the vault has another relayer', payout)
    }
    const { player, nonce } = order
    const used = await usedNonces(look.vault, player as Address)
    if (used < nonce) {
      // The chain has taken back what came before it, or the node is behind: both pass.
      return this.#report('an earlier withdrawal is not on the chain', payout)
    }
    if (payout.step === 'withdraw' && used === nonce) {
      this.#store.setPayout(payout.id, 'burn', 'queued')
      return this.#begin(look, { ...payout, step: 'burn' })
    }
    this.#report('the vault refuses to pay it and to burn it', payout)
  }

  /** What the node says to it does not matter: whether it is in a block is looked at later. */
  async #send(vault: VaultConfig, id: number, raw: Hex): Promise<void> {
    this.#sentAt.set(id, this.#clock.now())
    try {
      await broadcast(vault, raw)
    } catch (fault) {
      logFault('the node did not take a transaction', fault, { id })
    }
  }

  /** Tells the operator of a payout that does not go on by itself; the others go first from now on. */
  #report(what: string, { id, step }: Payout): void {
    logFault(what, new Error('needs an operator'), { id, step })
    this.#store.postpone(id, this.#clock.now())
  }

  /** Queues the news for whoever gave the order; a result is nobody's news. */
  #tell({ id, order }: Payout, status: WithdrawalStatus, txHash: string | null): void {
    const version = this.#store.nextVersion(id)
    const news = newsOf(order, { status, txHash, version })
    if (news) this.#outbox.add(news, this.#clock.now())
  }

  async #deliver({ kind, payload }: OutboxMessage): Promise<void> {
    if (kind === 'prize') {
      const { opening, ...update } = JSON.parse(payload) as PrizeMessage
      return openingOwner(this.env, opening).prizeProgress(update)
    }
    const { player, vaultId, nonce, ...update } = JSON.parse(payload) as StatusMessage
    await ledger(this.env, player).withdrawalProgress(vaultId, nonce, update)
  }

  #commit<T>(work: () => Settled<T>): Settled<T> {
    return transact(this.ctx.storage, work)
  }
}
