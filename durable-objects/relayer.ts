import { DurableObject } from 'cloudflare:workers'
import type { Address } from 'viem'
import { chainClient, headOf } from '../src/chain/client.ts'
import { lookAt } from '../src/chain/sender.ts'
import { usedNonces } from '../src/chain/vault.ts'
import { loadConfig } from '../src/config/load.ts'
import { invariant } from '../src/core/invariant.ts'
import type { Paid, WithdrawalStatus } from '../src/ledger/withdrawal.ts'
import { logFault } from '../src/log.ts'
import { ledger, openingOwner, vaultWatch } from '../src/objects.ts'
import { refuse, type Refusal } from '../src/core/refusal.ts'
import {
  endByLogs,
  type OrderStep,
  type PayoutOrder,
  type ResultOrder,
} from '../src/relayer/payout.ts'
import type { PrizeOrder } from '../src/relayer/prize.ts'
import { isWorthRecording } from '../src/relayer/result.ts'
import { Alarm, earliest } from './kernel/alarm.ts'
import { Clock } from './kernel/clock.ts'
import { migrate } from './kernel/migrations.ts'
import { Outbox, OUTBOX_MIGRATION, type OutboxMessage } from './kernel/outbox.ts'
import { transact, type Settled } from './kernel/transact.ts'
import { CONDITIONS_MIGRATION, ConditionsStore, type SeenConditions } from './relayer/conditions.ts'
import { newsOf, type PrizeMessage, type StatusMessage } from './relayer/news.ts'
import { Broadcaster, type Parts } from './relayer/parts.ts'
import { Payer } from './relayer/payer.ts'
import { Payouts, PAYOUTS_MIGRATION, type Payout } from './relayer/payouts.ts'
import { Transactions, TRANSACTIONS_MIGRATION } from './relayer/transactions.ts'
import { Watcher, WATCH_POLL_MS } from './relayer/watcher.ts'

const MIGRATIONS = [
  PAYOUTS_MIGRATION,
  TRANSACTIONS_MIGRATION,
  OUTBOX_MIGRATION,
  CONDITIONS_MIGRATION,
]

/** How often the chain is looked at while a transaction is in no block, or not confirmed. */
const POLL_MS = 2_000
/** The most transactions that are in no block yet. */
const MOST_IN_FLIGHT = 20

/**
 * The service's signing account on one chain: its nonces, what it has signed and sent, and what
 * became of it. A transaction is stored before it is sent, so whatever breaks can be repeated.
 */
export class Relayer extends DurableObject<Env> {
  readonly #clock = new Clock()
  readonly #alarm = new Alarm(this.ctx.storage)
  readonly #outbox = new Outbox(this.ctx.storage.sql, (message) => this.#deliver(message))
  readonly #conditions = new ConditionsStore(this.ctx.storage.sql)
  readonly #parts: Parts = {
    config: () => loadConfig(this.env),
    clock: this.#clock,
    payouts: new Payouts(this.ctx.storage.sql),
    transactions: new Transactions(this.ctx.storage.sql),
    broadcaster: new Broadcaster(this.#clock),
    nonceUse: async (vaultId, player, nonce) => {
      await vaultWatch(this.env, vaultId).catchUp()
      return vaultWatch(this.env, vaultId).nonceUse(player, nonce)
    },
    commit: (work) => this.#commit(work),
    tell: (payout, status, txHash) => this.#tell(payout, status, txHash),
  }
  readonly #watcher = new Watcher(this.#parts)
  readonly #payer = new Payer(this.#parts)
  /** Whether there is an order that no look at the chain has come to. */
  #hasNewOrder = false

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    migrate(ctx.storage, MIGRATIONS)
    void ctx.blockConcurrencyWhile(() => this.#alarm.load())
  }

  /** Takes a withdrawal over from its ledger. Safe to repeat: for one that has ended, the news is sent again. */
  async pay(order: PayoutOrder): Promise<void> {
    const id = withdrawalId(order)
    this.#take(id, order, 'withdraw')
    const { payouts } = this.#parts
    const payout = payouts.get(id)
    const { state } = payout
    if (state === 'confirmed' || state === 'failed') {
      this.#commit(() => this.#tell(payout, state, payouts.toldHash(id)))
    }
  }

  /** Takes over a prize that is owed. Safe to repeat. */
  async payPrize(order: PrizeOrder): Promise<void> {
    this.#take(`prize:${order.prizeId}`, order, 'prize')
  }

  /** Returns all prizes, with their openings, in the order of their ids after one of them. */
  async prizes(after: string | null, limit: number): Promise<{ id: string; opening: string }[]> {
    return this.#parts.payouts.prizes(after ?? '', limit)
  }

  /**
   * Tells the vault what the house has won so far, if that is worth a transaction. A total: only the
   * latest counts.
   */
  async record(order: ResultOrder): Promise<void> {
    const series = `${order.vaultId}:result:${order.token}:`
    const { payouts } = this.#parts
    const last = payouts.latestSent(series)
    if (last && 'resultWei' in last && !isWorthRecording(last, order)) return
    payouts.dropQueued(series)
    this.#take(series + this.#clock.now(), order, 'record')
  }

  /**
   * Stops a withdrawal that the vault's owner resolves. Safe to repeat. It is refused while the use of its nonce
   * is not confirmed or a transaction of it may still be mined, since it could still be paid, and where the
   * vault's logs or the relayer say that it ended otherwise.
   * @param actId of the owner's act
   * @returns what the vault paid with this nonce
   * @throws where the node does not answer
   */
  async closePayout(
    order: PayoutOrder,
    outcome: 'confirmed' | 'failed',
    actId: string,
  ): Promise<Refusal | { paid: Paid | null }> {
    const { payouts } = this.#parts
    const id = withdrawalId(order)
    const { vault } = loadConfig(this.env)
    invariant(vault?.id === order.vaultId, 'the owner resolves what the configured vault pays')
    const player = order.player as Address
    const confirmed = (await headOf(chainClient(vault))) - (vault.confirmations - 1)
    if ((await usedNonces(vault, player, Math.max(confirmed, 0))) <= order.nonce) {
      return refuse(
        'withdrawal_pending',
        'No confirmed block uses the nonce of this withdrawal; the relayer pays it or burns the nonce.',
      )
    }
    const watch = vaultWatch(this.env, vault.id)
    if (!(await watch.look())) {
      return refuse(
        'chain_unavailable',
        "The vault's logs have not all been read; try again later.",
      )
    }
    const use = await watch.nonceUse(player, order.nonce)
    const end = endByLogs(order, use)
    if (end !== null && end !== outcome) {
      return refuse('idempotency_conflict', `By the vault's logs this withdrawal is ${end}.`)
    }
    // All logs are read and add up to the vault's totals: without a log of a payment there was none.
    const { token, amountWei } = use ?? { token: null, amountWei: null }
    const paid = token && amountWei ? { token, amountWei: amountWei.toString() } : null
    if (paid === null && outcome === 'confirmed') {
      return refuse('idempotency_conflict', 'The vault has paid nothing with this nonce.')
    }
    const refusal = this.#commit(() => {
      payouts.add(id, order, 'withdraw', this.#clock.now())
      const { state } = payouts.get(id)
      if (state === 'sent') {
        return refuse(
          'withdrawal_pending',
          'A transaction of this withdrawal may still be mined; wait until it has ended.',
        )
      }
      if ((state === 'confirmed' || state === 'failed') && state !== outcome) {
        return refuse('idempotency_conflict', `The relayer has seen this withdrawal end: ${state}.`)
      }
      if (state === 'queued') payouts.close(id, actId)
      return null
    })
    return refusal ?? { paid }
  }

  /** Returns wallets whose ledgers may not know yet what the chain has paid them. */
  async walletsInProgress(): Promise<string[]> {
    return this.#parts.payouts.walletsInProgress()
  }

  /** Returns what the chain was like at the latest look; null before the first. It asks no node. */
  async conditions(vaultId: string): Promise<SeenConditions | null> {
    return this.#conditions.read(vaultId)
  }

  /** Notes the chain's conditions, and makes sure of a look at what is in progress. */
  async sweep(): Promise<void> {
    const now = this.#clock.now()
    this.#alarm.wakeBy(earliest(this.#outbox.nextDueAt(now), this.#nextLookAt(now)), now)
    const { vault } = loadConfig(this.env)
    if (vault) await this.#conditions.note(await lookAt(vault), now)
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
    this.#parts.payouts.add(id, order, step, now)
    this.#hasNewOrder = true
    this.#alarm.wakeBy(now, now)
  }

  #nextLookAt(now: number): number | null {
    const { payouts, transactions } = this.#parts
    if (this.#hasNewOrder || transactions.hasAny('open') || transactions.hasAny('mined')) {
      return now + POLL_MS
    }
    // What is still queued waits for its time, for funds or for an operator.
    const isWaiting = transactions.hasAny('confirmed') || payouts.hasQueued()
    return isWaiting ? now + WATCH_POLL_MS : null
  }

  /** Looks at the chain once and does what follows. A node that is down is asked again later. */
  async #advance(): Promise<void> {
    const { vault } = loadConfig(this.env)
    if (!vault) return
    const { payouts, transactions } = this.#parts
    try {
      const look = await lookAt(vault)
      for (const transaction of this.#watcher.due(look)) {
        await this.#alone(transaction.payoutId, () => this.#watcher.follow(look, transaction))
      }
      this.#hasNewOrder = false
      // What is in a block takes no room, however long its confirmations take.
      const room = Math.max(0, MOST_IN_FLIGHT - transactions.open().length)
      for (const payout of payouts.queued(this.#clock.now(), room)) {
        await this.#alone(payout.id, () => this.#payer.begin(look, payout))
      }
      await this.#conditions.note(look, this.#clock.now())
    } catch (fault) {
      logFault('the relayer could not finish its look at the chain', fault)
    }
  }

  /** One payout that fails, however often, never holds up the others. */
  async #alone(payoutId: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (fault) {
      logFault('the relayer could not bring a payout on', fault, { id: payoutId })
      const { payouts } = this.#parts
      payouts.postpone(payouts.get(payoutId), this.#clock.now())
    }
  }

  /** Queues the news for the object that gave the order; nobody waits for a result. */
  #tell({ id, order }: Payout, status: WithdrawalStatus, txHash: string | null): void {
    const now = this.#clock.now()
    const version = this.#parts.payouts.tell(id, txHash, now)
    const news = newsOf(order, { status, txHash, version })
    if (news) this.#outbox.add(news, now)
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

function withdrawalId({ vaultId, player, nonce }: PayoutOrder): string {
  return `${vaultId}:${player}:${nonce}`
}
