import type { VaultConfig } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load.ts'
import { invariant } from '../../src/core/invariant.ts'
import type { Refusal } from '../../src/core/refusal.ts'
import type { Account } from '../../src/ledger/accounts.ts'
import {
  ADD_CHIPS_FIRST,
  checkFreeEntry,
  LEDGER_LIMIT_BYTES,
  LEDGER_RESERVE_BYTES,
  LEDGER_FULL,
  MAX_FREE_ENTRIES,
  projectionDelayMs,
  SMALL_JOURNAL_ENTRIES,
} from '../../src/ledger/capacity.ts'
import { entryRef, type EntryRef } from '../../src/ledger/journal.ts'
import { idPrefix } from '../../src/ledger/operation.ts'
import { lastSeqOf } from '../../src/ledger/segment.ts'
import { hasMoved } from '../../src/ledger/totals.ts'
import { logEvent } from '../../src/log.ts'
import { perToken, type PerToken } from '../../src/money/token.ts'
import { Kernel, type Part } from '../kernel/kernel.ts'
import type { Schema } from '../kernel/migrations.ts'
import { isWaiting } from '../kernel/outbox.ts'
import { ownerOf } from '../kernel/owner.ts'
import type { Sync } from '../kernel/transact.ts'
import {
  Journal,
  type AppendedEntry,
  type Decision,
  type HeadChange,
  type Operation,
} from './journal.ts'

/** A part of a ledger. */
export interface LedgerPart extends Part {
  /** Sends D1 or another object the data that it lacks. */
  project?(): Promise<void>
  /** Some stored text of the part that is read in the same statement as the latest entry when the ledger wakes. */
  readonly waking?: {
    /** Returns the text as an expression in SQL; null if its table isn't made. */
    expression(schema: Schema): string | null
    take(text: string | null): void
  }
}

/** A ledger's report on whether its journal is right. */
export type Audit =
  | {
      ok: true
      entries: number
      /** The segments that are in the archive, from 1 to this number. */
      archived: number
      headHash: string
      balances: PerToken<Record<string, string>>
    }
  | { ok: false; problem: string }

/** The number of entries between two reads of the database's size. A read takes longer than a write. */
const SIZE_EVERY = 100

/** The ledger's single waiting update to D1. */
const PROJECTION = 'projection'

/**
 * The shared core of one wallet's ledger parts: its journal, its waiting messages, and the only way to change either. A
 * ledger is opened for the wallet's first chips; the seed of a first play doesn't open it.
 */
export class LedgerKernel extends Kernel {
  readonly env: Env
  readonly journal: Journal
  readonly #id: DurableObjectId
  #parts: readonly LedgerPart[] = []
  /** The number of the entry at which the size of the database is read again. */
  #hasRoomUntil = 0
  /**
   * Whether an update to D1 that waits or is under way also covers the next movement. After a restart, a ledger without
   * entries doesn't look for one: a second update is harmless.
   */
  #isProjectionQueued = false

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, ownerOf('Ledger', ctx, env))
    this.env = env
    this.#id = ctx.id
    this.journal = new Journal(ctx.storage.sql)
  }

  override assemble(parts: readonly LedgerPart[]): void {
    this.#parts = parts
    const projection: Part = {
      load: (schema) => {
        this.#isProjectionQueued = this.#readLatest(schema)
        // Entries stay in the order of their times, even if the clock is wrong after a restart.
        this.clock.notBefore(this.journal.latest().at)
      },
      deliver: { [PROJECTION]: () => this.#project() },
    }
    super.assemble([...parts, projection], (schema) => schema.has('ids'))
  }

  /** Reads the latest entry, and the texts that parts read with it. Returns whether an update to D1 waits. */
  #readLatest(schema: Schema): boolean {
    const read = this.#parts.flatMap(({ waking }) => {
      const expression = waking?.expression(schema) ?? null
      return waking && expression !== null ? { expression, waking } : []
    })
    const expressions = [isWaiting(PROJECTION), ...read.map(({ expression }) => expression)]
    const [isQueued, ...texts] = this.journal.readLatestAnd(expressions) ?? []
    if (isQueued === undefined) return false
    read.forEach(({ waking }, index) => waking.take(texts[index] ?? null))
    return isQueued === '1'
  }

  /** The owner of this ledger. */
  get wallet(): string {
    const { name } = this.#id
    invariant(name, 'a ledger is named by its wallet')
    return name
  }

  /** The configured vault, or null. */
  get vault(): VaultConfig | null {
    return loadConfig(this.env).vault
  }

  /** Whether the journal has no room left for operations that may be refused. */
  get isFull(): boolean {
    return this.#hasReached(LEDGER_LIMIT_BYTES)
  }

  /**
   * Whether the journal has no room left for a play. One is still accepted: the play that discloses the seed at the end
   * of the oldest segment here, because that segment can't be archived before it.
   */
  get isFullForPlay(): boolean {
    return this.isFull && !this.#awaitsPlay()
  }

  #awaitsPlay(): boolean {
    const { nextPlay } = this.journal.latest()
    const { first, last } = this.journal.segments.here
    if (!nextPlay || first >= last) return false
    return this.journal.headAt(lastSeqOf(first)).nextPlay?.nonce === nextPlay.nonce
  }

  /** Whether the journal keeps its last room for settlements, deposits and withdrawals. */
  get isReserved(): boolean {
    return this.#hasReached(LEDGER_RESERVE_BYTES)
  }

  #hasReached(limitBytes: number): boolean {
    const { seq } = this.journal.latest()
    if (seq < Math.max(SMALL_JOURNAL_ENTRIES, this.#hasRoomUntil)) return false
    const { databaseSize } = this.storage.sql
    if (databaseSize < LEDGER_LIMIT_BYTES) this.#hasRoomUntil = seq + SIZE_EVERY
    return databaseSize >= limitBytes
  }

  /**
   * Returns why the journal doesn't take another entry that moves no chips; null if it does.
   * @param kind how the ids of such changes begin, which end in their number
   * @param number the number of this change
   * @param isTighter whether it only protects the player more
   */
  refusesFreeEntry(kind: string, number: number, isTighter = false): Refusal | null {
    if (this.isFull) return LEDGER_FULL
    const latest = this.journal.latest()
    if (latest.seq < MAX_FREE_ENTRIES) return null
    if (hasMoved(latest)) {
      const timeOf = (before: number) => this.journal.timeOf(`${kind}${number - before}`)
      const past = { earlierAt: timeOf(MAX_FREE_ENTRIES), latestAt: timeOf(1) }
      return checkFreeEntry(past, isTighter, this.clock.now())
    }
    // A partner's refused debits are entries too, and not the player's doing.
    const { journal } = this
    const changes =
      journal.ids.startingWith(idPrefix('limits')).count +
      journal.ids.startingWith(idPrefix('permission')).count
    return changes >= MAX_FREE_ENTRIES ? ADD_CHIPS_FIRST : null
  }

  /** Returns the balances of an account as text, in smallest units. */
  amountsOf(account: Account): PerToken<string> {
    const balances = this.journal.balances()
    return perToken((token) => balances[token][account].toString())
  }

  /** Runs one transaction and queues the update to D1 with it. */
  commit<T>(at: number, work: () => Sync<T>): Sync<T> {
    const isQueued = this.#isProjectionQueued
    const result = this.transact(() => {
      const done = work()
      if (!isQueued) {
        this.outbox.add({ kind: PROJECTION, payload: '' }, at + projectionDelayMs(this.wallet))
      }
      return done
    })
    this.#isProjectionQueued = true
    this.#wakeToProject(at)
    return result
  }

  /** Records an operation that is found by its order. Returns its entry. */
  recordInOrder<Result>(
    operation: Operation,
    decision: Decision<Result>,
    change: HeadChange = {},
  ): EntryRef {
    const { journal } = this
    const record = () => void journal.recordInOrder(operation, decision, change)
    // Usually the entry is the only write.
    if (this.#isProjectionQueued && journal.isOneWrite(operation)) {
      this.write(record)
      this.#wakeToProject(operation.at)
    } else this.commit(operation.at, record)
    return entryRef(journal.latest())
  }

  #wakeToProject(at: number): void {
    this.alarm.wakeBy(at + projectionDelayMs(this.wallet), at)
  }

  override write<T>(work: () => Sync<T>): Sync<T> {
    const done = super.write(work)
    // An entry that was undone is not logged.
    for (const entry of this.journal.takeAppended()) this.#logMovement(entry)
    return done
  }

  #logMovement({ seq, operationId, at, hash, postings }: AppendedEntry): void {
    if (!loadConfig(this.env).logsMovements) return
    const moved = postings.map(
      ({ token, from, to, amountWei }) => `${from}>${to} ${amountWei} ${token}`,
    )
    const fields = { object: this.owner.object, seq, operation: operationId, at, hash }
    logEvent('movement', { ...fields, postings: moved.join(', ') })
  }

  /** Has every part read its stored data again and check it. */
  verify(): Audit {
    this.forget()
    const problem = this.audit()
    if (problem !== null) return { ok: false, problem }
    const { seq: entries, hash: headHash } = this.journal.latest()
    const balances = this.journal.balances()
    const archived = this.journal.segments.here.first - 1
    return {
      ok: true,
      entries,
      archived,
      headHash,
      balances: perToken((token) => asText(balances[token])),
    }
  }

  /** Has all parts send their updates at the same time. Queues another if anything moved meanwhile. */
  async #project(): Promise<void> {
    const { seq } = this.journal.latest()
    await Promise.all(this.#parts.map(async (part) => part.project?.()))
    this.#isProjectionQueued = false
    if (this.journal.latest().seq > seq) this.commit(this.clock.now(), () => {})
  }
}

function asText(accounts: Record<string, bigint>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(accounts).map(([account, amount]) => [account, amount.toString()]),
  )
}
