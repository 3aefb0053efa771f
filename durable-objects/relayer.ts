import { DurableObject } from 'cloudflare:workers'
import { privateKeyToAccount } from 'viem/accounts'
import { takeChainReading, type ChainReading } from '../src/chain/sender.ts'
import { invariant } from '../src/core/invariant.ts'
import type { Refusal } from '../src/core/refusal.ts'
import type { RelayerFacts, SeenConditions } from '../src/health/facts.ts'
import type { VaultPayout } from '../src/ledger/withdrawal.ts'
import { logFault } from '../src/log.ts'
import { areWithdrawalsClosed, type ModesChange } from '../src/operator/modes.ts'
import {
  isSamePayout,
  WITHDRAWAL_STEPS,
  type KnownWithdrawal,
  type Order,
  type OrderStep,
  type ResultOrder,
  type WithdrawalOrder,
  pauseMs,
} from '../src/relayer/payout.ts'
import type { PrizeOrder } from '../src/relayer/prize.ts'
import { isWorthRecording } from '../src/relayer/result.ts'
import type { UnpaidOrders } from '../src/relayer/unpaid.ts'
import { Closer } from './relayer/closer.ts'
import { ConditionsStore } from './relayer/conditions.ts'
import { ExternalPayouts } from './relayer/external-payouts.ts'
import { Gaps } from './relayer/gaps.ts'
import { RelayerKernel } from './relayer/kernel.ts'
import { Payer } from './relayer/payer.ts'
import { withdrawalId, type Payout } from './relayer/payouts.ts'
import { Watcher, WATCH_POLL_MS } from './relayer/watcher.ts'

/** How often the relayer reads the chain while a transaction is not mined or not confirmed. */
const POLL_MS = 2_000
/** The most transactions that may be unmined at a time. */
const MAX_IN_FLIGHT = 20
/** Orders that are listed for operators. */
const MAX_LISTED = 100

/**
 * The service's signing account on one chain: its nonces, its signed transactions and their results.
 * Each transaction is stored before it is sent, so a failed step can be repeated.
 */
export class Relayer extends DurableObject<Env> {
  readonly #kernel = new RelayerKernel(this.ctx, () => this.env)
  readonly #conditions = new ConditionsStore(this.ctx.storage.sql)
  readonly #watcher = new Watcher(this.#kernel)
  readonly #externalPayouts = new ExternalPayouts(this.#kernel)
  readonly #payer = new Payer(this.#kernel, this.#externalPayouts)
  readonly #closer = new Closer(this.#kernel)
  readonly #gaps = new Gaps(this.#kernel)
  /** Whether an order is still waiting for its first reading of the chain. */
  #hasNewOrder = false

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const { gasDraws, modes, reports, outbox, payouts, transactions } = this.#kernel
    this.#kernel.assemble([
      payouts,
      transactions,
      outbox,
      this.#conditions,
      modes,
      reports,
      { nextDueAt: (now) => this.#nextLookAt(now) },
      gasDraws,
      this.#gaps,
      this.#externalPayouts,
    ])
    this.#kernel.open()
  }

  /**
   * Takes over a withdrawal from its ledger. Safe to repeat; the result of an ended one is sent again. A ledger that
   * has gone back in time may use a nonce for another one: that is neither paid nor reported as if it was.
   */
  async pay(order: WithdrawalOrder): Promise<void> {
    const id = withdrawalId(order)
    this.#take(id, order, 'withdraw')
    const { owner, payouts } = this.#kernel
    const payout = payouts.get(id)
    if (!isSamePayout(payout.order, order)) {
      return logFault('nonce_paid_otherwise', 'it is the nonce of another withdrawal', {
        object: owner.object,
        id,
        step: payout.step,
      })
    }
    this.#reportAgain(payout)
  }

  /** Takes over an owed prize. Safe to repeat; a paid prize is reported again. */
  async payPrize(order: PrizeOrder): Promise<void> {
    const id = `prize:${order.prizeId}`
    this.#take(id, order, 'prize')
    this.#reportAgain(this.#kernel.payouts.get(id))
  }

  /** Returns the prizes after a given id, in the order of their ids, with their openings. */
  async prizes(after: string | null, limit: number): Promise<{ id: string; opening: string }[]> {
    return this.#kernel.payouts.prizes(after ?? '', limit)
  }

  /**
   * Reports the house's winnings so far to the vault, if that is worth a transaction. The amount is a
   * total, so only the latest report counts.
   */
  async record(order: ResultOrder): Promise<void> {
    const series = `${order.vaultId}:result:${order.token}:`
    const { payouts } = this.#kernel
    const last = payouts.latestSent(series)
    if (last?.kind === 'result' && !isWorthRecording(last, order)) return
    for (const queued of payouts.queuedOf(series))
      this.#kernel.applyEvent(queued, { kind: 'abandoned' })
    this.#take(series + this.#kernel.clock.now(), order, 'record')
  }

  /**
   * Stops a withdrawal that operators resolve. Safe to repeat. Refuses while the withdrawal could still be paid: while
   * the use of its nonce is unconfirmed or one of its transactions may be mined. Also refuses if the vault's events or
   * the relayer show another outcome.
   * @param actId of the operators' act
   * @returns the vault's payout with this nonce
   * @throws if the node does not answer
   */
  async closePayout(
    order: WithdrawalOrder,
    outcome: 'confirmed' | 'failed',
    actId: string,
  ): Promise<Refusal | { paid: VaultPayout | null }> {
    return this.#closer.close(order, outcome, actId)
  }

  /** Takes the modes from Control: a closed switch stops queued withdrawals. Safe to repeat, in any order. */
  async takeModes(changes: readonly ModesChange[]): Promise<void> {
    this.#kernel.modes.take(changes)
  }

  /** Returns wallets whose ledgers may not know yet of a payment on the chain. */
  async walletsInProgress(): Promise<string[]> {
    return this.#kernel.payouts.walletsInProgress()
  }

  /** Returns a wallet's withdrawals and how they ended, for a ledger that has lost some. */
  async withdrawalsOf(wallet: string): Promise<KnownWithdrawal[]> {
    return this.#kernel.payouts.withdrawalsOf(wallet)
  }

  /** Returns the withdrawals and prizes that wait for payment or its confirmation, the oldest first. */
  async unpaid(): Promise<UnpaidOrders> {
    const { clock, modes, payouts } = this.#kernel
    const now = clock.now()
    return {
      areWithdrawalsClosed: areWithdrawalsClosed(modes.changes, now),
      orders: payouts.unpaid(MAX_LISTED, now),
    }
  }

  /** Returns the chain's conditions at the latest reading; null before the first. Doesn't call a node. */
  async conditions(vaultId: string): Promise<SeenConditions | null> {
    return this.#conditions.read(vaultId)
  }

  /** Returns the cost of gas from a time until another, in wei. Times in unix milliseconds. */
  async gasSpent(from: number, to: number): Promise<bigint> {
    return this.#kernel.transactions.gasSpent(from, to)
  }

  /** Returns the facts behind its health. Doesn't call a node. */
  async facts(): Promise<RelayerFacts> {
    const { clock, payouts, transactions, config } = this.#kernel
    const { vault } = config
    const now = clock.now()
    invariant(vault, 'a relayer pays from a vault')
    const { address } = privateKeyToAccount(vault.relayer.privateKey)
    return {
      withdrawals: payouts.waiting(WITHDRAWAL_STEPS, now),
      prizes: payouts.waiting(['prize'], now),
      unmined: transactions.open().length,
      nextNonce: transactions.nextNonce(address),
      seen: this.#conditions.read(vault.id),
      reserveWei: vault.relayer.reserveWei.toString(),
      databaseBytes: this.ctx.storage.sql.databaseSize,
    }
  }

  /** Records the chain's conditions and schedules a reading for orders in progress. */
  async sweep(): Promise<void> {
    const { clock, config, vault } = this.#kernel
    const now = clock.now()
    this.#kernel.wake()
    if (!vault) return
    const reading = await takeChainReading(vault)
    await this.#gaps.close(reading)
    this.#kernel.wake()
    await this.#conditions.note(reading, config.lootbox, now)
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#kernel.run(info, async () => {
      await this.#advance()
      await this.#kernel.drain()
    })
  }

  #take(id: string, order: Order, step: OrderStep): void {
    const now = this.#kernel.clock.now()
    this.#kernel.payouts.add(id, order, step, now)
    this.#hasNewOrder = true
    this.#kernel.alarm.wakeBy(now, now)
  }

  /** Reports the end of a payout once more, because its order was given once more. */
  #reportAgain(payout: Payout): void {
    const by = { txHash: payout.reportedHash }
    this.#kernel.transact(() => this.#kernel.applyEvent(payout, { kind: 'ordered' }, by))
  }

  #nextLookAt(now: number): number | null {
    const { payouts, transactions, vault } = this.#kernel
    if (!vault) return payouts.unpaid(1, now).length > 0 ? now + WATCH_POLL_MS : null
    if (this.#hasNewOrder || transactions.hasAny('open') || transactions.hasAny('mined')) {
      return now + POLL_MS
    }
    // Anything still queued is waiting for its due time, for funds or for an operator.
    const isWatching = transactions.hasAny('confirmed') || this.#externalPayouts.hasAny()
    const isWaiting = isWatching || payouts.hasQueued() || this.#gaps.areOpen
    return isWaiting ? now + WATCH_POLL_MS : null
  }

  /** Reads the chain once and acts on the result. If the node is down, tries again later. */
  async #advance(): Promise<void> {
    const { clock, config, env, modes, vault } = this.#kernel
    if (!vault) return this.#reportUnpaid()
    try {
      const [reading] = await Promise.all([
        takeChainReading(vault),
        modes.catchUp(env, clock.now()),
      ])
      for (const transaction of this.#watcher.due(reading)) {
        await this.#alone(transaction.payoutId, () => this.#watcher.follow(reading, transaction))
      }
      this.#hasNewOrder = false
      // A gap may get back the transaction of a payout that others have ended.
      await this.#gaps.close(reading)
      for (const ended of this.#externalPayouts.due()) {
        await this.#alone(ended.payoutId, () => this.#externalPayouts.follow(reading, ended))
      }
      const isPrize = (step: OrderStep) => step === 'prize'
      const steps = this.#kernel.openSteps()
      await this.#begin(
        reading,
        steps.filter((step) => !isPrize(step)),
      )
      // Withdrawals that can't be paid leave room, unless they wait for the ETH that prizes would take.
      if (!this.#payer.lacksFunds(reading)) await this.#begin(reading, steps.filter(isPrize))
      await this.#conditions.note(reading, config.lootbox, clock.now())
    } catch (fault) {
      logFault('relayer_look_failed', fault, { object: this.#kernel.owner.object })
    }
  }

  /** Alerts the operator to orders that wait for a vault on this chain to be configured. */
  #reportUnpaid(): void {
    const { clock, owner, payouts } = this.#kernel
    for (const { id, step } of payouts.unpaid(MAX_IN_FLIGHT, clock.now())) {
      logFault('payout_vault_not_configured', 'needs an operator', {
        object: owner.object,
        id,
        step,
      })
    }
  }

  /** Begins due payouts whose next step is one of these. */
  async #begin(reading: ChainReading, steps: readonly OrderStep[]): Promise<void> {
    const { clock, payouts, transactions } = this.#kernel
    // Mined transactions don't count towards the limit, however long confirmation takes.
    const room = Math.max(0, MAX_IN_FLIGHT - transactions.open().length)
    for (const payout of payouts.queued(clock.now(), room, steps)) {
      await this.#alone(payout.id, () => this.#payer.begin(reading, payout))
    }
  }

  /** Handles one payout. A payout that keeps failing never blocks the others. */
  async #alone(payoutId: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (fault) {
      logFault('payout_failed', fault, { object: this.#kernel.owner.object, id: payoutId })
      const { clock, payouts } = this.#kernel
      const payout = payouts.get(payoutId)
      // Hundreds of prizes without a price would hold up withdrawals.
      const waitMs = payout.step === 'prize' ? pauseMs('prize', payout.pausedMs) : 0
      const dueAt = clock.now() + waitMs
      payouts.postpone(payout, clock.now(), { dueAt, cause: 'payout_failed' })
    }
  }
}
