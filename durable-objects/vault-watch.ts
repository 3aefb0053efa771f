import { DurableObject } from 'cloudflare:workers'
import type { Address } from 'viem'
import { answerWithin } from '../src/calls/call.ts'
import { ledger } from '../src/calls/objects.ts'
import { assertVaultIsRight } from '../src/chain/check.ts'
import { confirmedHead } from '../src/chain/client.ts'
import { readBlock, type Block } from '../src/chain/logs.ts'
import type { VaultConfig } from '../src/config/config.ts'
import { loadConfig } from '../src/config/load.ts'
import { invariant } from '../src/core/invariant.ts'
import type { ChainFacts } from '../src/health/facts.ts'
import { HOUSE } from '../src/ledger/accounts.ts'
import type { VaultTransaction } from '../src/ledger/deposit.ts'
import { logFault } from '../src/log.ts'
import {
  addEvents,
  areSameTotals,
  exceed,
  noTotals,
  type MissingSince,
  type VaultEvent,
} from '../src/vault/events.ts'
import type { VaultSums } from '../src/vault/trust.ts'
import { Kernel } from './kernel/kernel.ts'
import { DELIVERY_MS } from './kernel/outbox.ts'
import { ownerOf } from './kernel/owner.ts'
import { LogRange } from './vault-watch/log-range.ts'
import { Mismatches } from './vault-watch/mismatches.ts'
import { nonceUseOf } from './vault-watch/nonce-use.ts'
import { readOn } from './vault-watch/reading.ts'
import { isMovement } from './vault-watch/rows.ts'
import { sharesOf } from './vault-watch/shares.ts'
import { VaultWatchStore, type Mark, type NonceUse } from './vault-watch/store.ts'
import { transactionOf } from './vault-watch/transaction.ts'

/** The watch reads the chain at most this often. */
const LOOK_EVERY_MS = 1_000
/** Reading a long history continues after this interval, without waiting for a caller. */
const READ_ON_MS = 1_000
/** Blocks first read this long ago are not read again. */
const SETTLED_AFTER_MS = 1_800_000
/** Everything unsettled is read again this often, because a node may have left something out. */
const READ_AGAIN_MS = 60_000
/** How many looks are remembered. They reveal a reorganisation even while the new chain is still shorter. */
const MAX_RECENT = 300
/** The most transactions of one account that are delivered immediately, before those of others. */
const MAX_DELIVERED_AT_ONCE = 20
/** The most accounts that are listed because something waits for their ledgers. */
const MAX_UNDELIVERED = 100

/**
 * Reads one vault's events for all callers and delivers each deposit to its player's ledger at least
 * once. Named by chain and contract.
 */
export class VaultWatch extends DurableObject<Env> {
  readonly #kernel = new Kernel(this.ctx, ownerOf('VaultWatch', this.ctx, this.env))
  readonly #object = this.#kernel.owner.object
  readonly #store = new VaultWatchStore(this.ctx.storage.sql)
  readonly #mismatches = new Mismatches(this.ctx.storage.sql)
  readonly #logRange = new LogRange()
  /** The newest block that was read; null if only the settled blocks are known to have been read. */
  #read: Mark | null = null
  /** The newest block of each recent look, in order; the latest look comes last. */
  #recent: Mark[] = []
  #looking: Promise<void> | null = null
  #delivering: Promise<void> | null = null
  #lookedAt = -Infinity
  #wentBackAt = -Infinity
  #markedAt = -Infinity
  /** Whether the latest look read all blocks and matched the contract's totals. */
  #isCurrent = false
  /** Whether a long history is being read, one part with each look. */
  #isReadingOn = false

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#kernel.assemble([
      this.#store,
      this.#store.sums,
      this.#mismatches,
      this.#kernel.outbox,
      {
        nextDueAt: (now) => (this.#isReadingOn ? now + READ_ON_MS : null),
        deliver: { movement: (payload) => this.#deliver(payload) },
      },
    ])
    this.#kernel.open()
  }

  /**
   * Reads new blocks; callers within a second share one read. Returns whether every confirmed event has been delivered.
   * @param account waits for, and reports on, this account's ledger only
   */
  async catchUp(account?: string): Promise<boolean> {
    const isFresh = this.#kernel.clock.now() - this.#lookedAt < LOOK_EVERY_MS && !this.#looking
    if (!isFresh) {
      await this.#look()
      this.ctx.waitUntil(this.#deliverDue())
    }
    if (account !== undefined) await this.#deliverTo(account)
    return this.#isDelivered(account)
  }

  /** Returns the accounts that {@link catchUp} waits for; null if they are too many, or if its look hasn't read all. */
  async undelivered(): Promise<string[] | null> {
    const accounts = this.#store.untoldAccounts(MAX_UNDELIVERED + 1)
    return this.#isCurrent && accounts.length <= MAX_UNDELIVERED ? accounts : null
  }

  /**
   * Reads the new blocks of the chain now. Returns whether everything, or all of an account, has reached its ledger.
   */
  async look(account?: string): Promise<boolean> {
    await this.#looking
    await this.#look()
    await this.#delivering
    await this.#deliverDue()
    if (account !== undefined) await this.#deliverTo(account)
    return this.#isDelivered(account)
  }

  /** Returns how a nonce was used. Null if it is unused, not yet final or, with `ifCurrent`, if the watch is behind. */
  async nonceUse(player: Address, nonce: number, ifCurrent = false): Promise<NonceUse | null> {
    return ifCurrent && !this.#isCurrent ? null : nonceUseOf(this.#store, player, nonce)
  }

  /** Returns the wallets with deposits after a given wallet, ascending, in EIP-55 form. */
  async players(after: string | null, limit: number): Promise<string[]> {
    return this.#store.players(after ?? '', limit)
  }

  /**
   * Returns the totals that the ledgers must add up to, according to the vault's events.
   * @param inProgress wallets that may be behind the chain for a reason the events don't show
   * @param others accounts whose own share is returned, too
   */
  async standing(inProgress: string[], others: string[] = []): Promise<VaultSums> {
    const settled = this.#settled()
    const { block, hash: blockHash } = this.#read ?? settled
    const now = this.#kernel.clock.now()
    const unsettledFrom = now - SETTLED_AFTER_MS
    const shares = sharesOf(this.#store, { settled, unsettledFrom, now }, { inProgress, others })
    return { isCurrent: this.#isCurrent, block, blockHash, ...shares }
  }

  /** Reports all transactions to a ledger again, because it has lost some. It ignores those that it knows. */
  async tellAgain(account: string): Promise<void> {
    for (const txHash of this.#store.transactionsOf(account)) {
      const { transaction, dropped } = transactionOf(this.#store, this.#name(), { account, txHash })
      await this.#tell(account, { ...transaction, dropped })
    }
  }

  /** Returns accounts with movements that the chain has dropped, the oldest first. Doesn't read the chain. */
  async missing(after?: MissingSince): Promise<MissingSince[]> {
    return this.#store.missing(after ?? null)
  }

  /** Returns the facts behind its health. Doesn't read the chain. */
  async facts(): Promise<ChainFacts> {
    return { ...this.#store.lastCheck(), untold: this.#kernel.outbox.size() }
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#kernel.run(info, async () => {
      await this.#kernel.drain()
      if (!this.#isReadingOn) return
      await this.#look()
      await this.#kernel.drain()
    })
  }

  /** Shares one look between all callers. Faults are logged for the operator; callers get "not current". */
  async #look(): Promise<void> {
    this.#looking ??= this.#advance()
      .catch((fault: unknown) => {
        this.#isCurrent = false
        logFault('vault_read_failed', fault, { object: this.#object })
      })
      .finally(() => (this.#looking = null))
    await this.#looking
  }

  /** Whether everything confirmed has reached its ledger. A deposit may be read but not yet delivered. */
  #isDelivered(account?: string): boolean {
    if (account === undefined) return this.#isCurrent && !this.#kernel.outbox.has('movement')
    return this.#isCurrent && this.#store.untold(account, 1).length === 0
  }

  /** Delivers the transactions of an account, but not more than a few. */
  async #deliverTo(account: string): Promise<void> {
    // Anybody may make many deposits, which would delay everyone else's, so these don't wait for their turn.
    const deliveries = this.#store.untold(account, MAX_DELIVERED_AT_ONCE).map(async (txHash) => {
      await answerWithin(DELIVERY_MS, this.#deliver(JSON.stringify({ account, txHash })))
    })
    await Promise.allSettled(deliveries)
  }

  async #advance(): Promise<void> {
    const vault = this.#vault()
    this.#lookedAt = this.#kernel.clock.now()
    // Checked before a cursor moves: a wrong variable would skip or double-credit deposits permanently.
    await assertVaultIsRight(vault)
    const newest = await confirmedHead(vault)
    await this.#goBackIfNeeded(vault, newest)
    const from = (this.#read?.block ?? this.#settled().block) + 1
    // A node that has fallen behind, perhaps one of several, reports nothing new.
    if (newest >= from) await this.#readOn(vault, from, newest)
    // A quiet chain has nothing to read once its newest block is settled.
    else if (newest === from - 1 && this.#isCurrent) this.#store.renewCheck(this.#lookedAt)
    // After a restart or a fault, nothing else would show that it is current.
    else if (newest === from - 1 && newest >= vault.startBlock)
      await this.#readOn(vault, newest, newest)
  }

  /** Delivers due messages, a batch at a time, however many callers wait for a look. */
  async #deliverDue(): Promise<void> {
    this.#delivering ??= this.#kernel.drain().finally(() => (this.#delivering = null))
    await this.#delivering
    this.#kernel.wake()
  }

  /** Starts over from the settled block, after a reorganisation and periodically. */
  async #goBackIfNeeded(vault: VaultConfig, newest: number): Promise<void> {
    const now = this.#kernel.clock.now()
    // Not the highest block ever read: after a reorganisation the chain may be shorter than before.
    const known = this.#recent.findLast(({ block }) => block <= newest)
    const present = known && (await readBlock(vault, known.block))
    const isReorganised = present != null && present.hash !== known?.hash
    if (isReorganised) {
      const fault = new Error('reorganised')
      logFault('vault_block_reorganised', fault, { object: this.#object, block: present.number })
      this.#recent = []
      // Later blocks disappeared with that block if the chain has not replaced it yet.
      this.#write([], [...this.#store.between(newest, Number.MAX_SAFE_INTEGER)])
      // Otherwise, settled blocks would not be read again, but they may come back.
      if (newest < this.#settled().block) this.#startOver(vault)
    }
    // Going back while there is more to read would never come to its end.
    const isDue = !this.#isReadingOn && now - this.#wentBackAt >= READ_AGAIN_MS
    if (!isReorganised && !isDue) return
    this.#wentBackAt = now
    this.#read = null
    const settled = this.#settled()
    if (settled.hash === null) return
    const start = await readBlock(vault, settled.block)
    if (start && start.hash !== settled.hash) {
      const at = { object: this.#object, block: settled.block }
      logFault('settled_block_reorganised', new Error('reorganised'), at)
      this.#startOver(vault)
    }
  }

  /** Forgets how far it has read, but keeps everything it found. */
  #startOver(vault: VaultConfig): void {
    this.#kernel.transact(() => {
      this.#store.forgetMarks()
      this.#mismatches.clear()
      this.#store.settle({ block: vault.startBlock - 1, hash: null, totals: noTotals() })
    })
    this.#store.sums.forget()
    this.#read = null
  }

  /** Reads the next blocks and records their changes. */
  async #readOn(vault: VaultConfig, from: number, newest: number): Promise<void> {
    const reading = await readOn(vault, this.#store, from, newest, this.#logRange)
    if (!reading) {
      // Another node behind the same address has this block and its confirmations, so there may be more to read.
      this.#isCurrent = false
      return
    }
    const { last, events, vanished, omitted, counted } = reading
    const now = this.#kernel.clock.now()
    const isEnd = last.number === newest
    // A reading in several parts is as new as its end.
    if (isEnd && this.#isReadingOn) this.#wentBackAt = now
    this.#isReadingOn = !isEnd
    const { sums } = this.#store
    const isThere = [...events, ...omitted]
    const found = addEvents(sums.upTo(from - 1, this.#settled()), isThere)
    // Events that the contract denies move nothing: a faulty node may have made them up. The next look rereads them.
    const isDenied = counted !== null && exceed(found, counted)
    this.#write(isDenied ? [] : events, vanished)
    if (!isDenied) sums.moveOn(last.number, isThere)
    this.#noteRead(last)
    const isSame = counted === null || areSameTotals(found, counted)
    if (isEnd) return this.#check(vault, last, isSame)
    this.#isCurrent = false
    // The blocks of a long history are old by the chain's own timestamps.
    if (isSame && last.at <= now - SETTLED_AFTER_MS) {
      this.#settleAt({ block: last.number, hash: last.hash })
    }
  }

  #noteRead({ number: block, hash }: Block): void {
    this.#read = { block, hash }
    this.#recent = [...this.#recent, this.#read].slice(-MAX_RECENT)
  }

  /** Records the events that were found and those that vanished, and queues the resulting messages. */
  #write(events: VaultEvent[], vanished: VaultEvent[]): void {
    const now = this.#kernel.clock.now()
    this.#kernel.transact(() => {
      for (const event of vanished) this.#store.miss(event)
      const changed = this.#store.put(events, now)
      const transactions = new Map(
        [...changed, ...vanished]
          .filter(isMovement)
          .map(({ account, txHash }) => [`${account} ${txHash}`, { account, txHash }]),
      )
      for (const { account, txHash } of transactions.values()) {
        this.#store.change(account, txHash)
        this.#kernel.outbox.add(
          { kind: 'movement', payload: JSON.stringify({ account, txHash }) },
          now,
        )
      }
    })
  }

  /** @param isSame whether all events up to the last block add up to the contract's totals */
  async #check(vault: VaultConfig, last: Block, isSame: boolean): Promise<void> {
    this.#isCurrent = isSame
    if (this.#isCurrent) {
      this.#mismatches.clear()
      await this.#settle(vault, last)
      return
    }
    this.#wentBackAt = -Infinity
    const isLasting = this.#mismatches.add(this.#kernel.clock.now())
    // A node may show its newest block a moment before the block's events, so the first mismatch means nothing.
    if (this.#mismatches.looks > 1) {
      const at = { object: this.#object, block: last.number }
      logFault('vault_logs_incomplete', new Error('the logs and the totals differ'), at)
    }
    if (isLasting) this.#startOver(vault)
  }

  /** Once a minute, marks the newest block and settles the newest mark that is old enough. */
  async #settle(vault: VaultConfig, last: Block): Promise<void> {
    const now = this.#kernel.clock.now()
    if (now - this.#markedAt >= READ_AGAIN_MS) {
      this.#markedAt = now
      this.#store.addMark({ block: last.number, hash: last.hash }, now)
      this.#store.noteCheck(last, now)
    }
    const mark = this.#store.newestMark(now - SETTLED_AFTER_MS)
    if (mark === null || (await readBlock(vault, mark.block))?.hash !== mark.hash) return
    this.#settleAt(mark)
  }

  #settleAt({ block, hash }: { block: number; hash: string }): void {
    this.#kernel.transact(() => {
      const before = this.#settled()
      const totals = addEvents(before.totals, this.#store.between(before.block, block))
      this.#store.settle({ block, hash, totals })
      this.#store.sums.settle(before.block, block)
    })
  }

  #settled() {
    const start = { block: this.#vault().startBlock - 1, hash: null, totals: noTotals() }
    return this.#store.settled() ?? start
  }

  /** Reports the current state of a transaction to its ledger. */
  async #deliver(payload: string): Promise<void> {
    const { account, txHash } = JSON.parse(payload) as { account: string; txHash: string }
    const { transaction } = transactionOf(this.#store, this.#name(), { account, txHash })
    await this.#tell(account, transaction)
  }

  async #tell(account: string, transaction: VaultTransaction): Promise<void> {
    const isCredited = await ledger(this.env, account).takeVaultTransaction(transaction)
    const at = this.#kernel.clock.now()
    this.#kernel.transact(() => {
      this.#store.told(account, transaction, isCredited, at)
      if (account !== HOUSE) this.#store.credited(account, at)
    })
  }

  #vault(): VaultConfig {
    const { vault } = loadConfig(this.env)
    invariant(vault && vault.id === this.#name(), 'the watch reads the configured vault')
    return vault
  }

  #name(): string {
    const { name } = this.ctx.id
    invariant(name, 'a watch is named by its vault')
    return name
  }
}
