import { invariant } from '../../src/core/invariant.ts'
import { Alarm, earliest } from './alarm.ts'
import { Clock } from './clock.ts'
import { migrate, missingFrom, schemaOf, type Migration, type Schema } from './migrations.ts'
import { Outbox, type OutboxMessage } from './outbox.ts'
import type { Owner } from './owner.ts'
import { transact, type Sync } from './transact.ts'

/** A part of an object: its tables, and the hooks that the object calls. */
export interface Part {
  /** Creates its tables. */
  readonly migration?: Migration
  /** Loads its state into memory. Called once its tables exist. */
  load?(schema: Schema): void
  /** Returns when it next needs the alarm; null if it doesn't. */
  nextDueAt?(now: number): number | null
  /** The deliveries of its outbox messages, by kind. */
  readonly deliver?: Readonly<Record<string, (payload: string) => Promise<void>>>
  /** Drops its state in memory, and reads it again when needed: a failed transaction may have undone it. */
  forget?(): void
  /** Checks its stored data. Returns a description of the first problem, or null. */
  audit?(): string | null
}

/** The clock, alarm, outbox and transactions that an object's parts share. */
export class Kernel {
  readonly storage: DurableObjectStorage
  readonly clock = new Clock()
  readonly alarm: Alarm
  readonly outbox: Outbox
  /** The object, for log lines. */
  readonly owner: Owner
  readonly #ctx: DurableObjectState
  #parts: readonly Part[] = []
  #isOpen = false

  constructor(ctx: DurableObjectState, owner: Owner) {
    this.#ctx = ctx
    this.owner = owner
    this.storage = ctx.storage
    this.alarm = new Alarm(ctx.storage)
    const deliver = async ({ kind, payload }: OutboxMessage) => {
      const deliverKind = this.#parts.find((part) => part.deliver?.[kind])?.deliver?.[kind]
      invariant(deliverKind, `no part delivers messages of kind ${kind}`)
      await deliverKind(payload)
    }
    this.outbox = new Outbox(ctx.storage.sql, deliver, owner)
  }

  /**
   * Assembles the object; its constructor calls this once.
   * @param isMade tells from its schema whether the object has been opened before; missing tables are then added
   */
  assemble(parts: readonly Part[], isMade = (schema: Schema) => schema.size > 0): void {
    this.#parts = parts
    const schema = schemaOf(this.storage)
    if (isMade(schema)) this.#open(schema)
    else missingFrom(schema, this.#migrations())
    void this.#ctx.blockConcurrencyWhile(() => this.alarm.load())
  }

  /** Returns whether the object has its tables. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Creates the tables of all parts and loads their state into memory. */
  open(): void {
    if (!this.#isOpen) this.#open(schemaOf(this.storage))
  }

  /** Runs synchronous work in one transaction. */
  transact<T>(work: () => Sync<T>): Sync<T> {
    return this.write(() => transact(this.storage, work))
  }

  /**
   * Runs synchronous work that is a transaction, or makes a single write: SQLite stores that whole or not at all. If
   * the work fails, the parts drop their state in memory.
   */
  write<T>(work: () => Sync<T>): Sync<T> {
    try {
      return work()
    } catch (fault) {
      this.forget()
      throw fault
    }
  }

  /** Drops all state in memory. */
  forget(): void {
    for (const part of this.#parts) part.forget?.()
  }

  /** Returns the first problem that a part finds in its stored data, or null. */
  audit(): string | null {
    for (const part of this.#parts) {
      const problem = part.audit?.() ?? null
      if (problem !== null) return problem
    }
    return null
  }

  /** Makes sure the alarm fires when a part needs it. */
  wake(): void {
    this.alarm.wakeBy(this.#nextDueAt(), this.clock.now())
  }

  /** Runs the alarm's work, by default the delivery of due messages, and sets the next alarm. */
  async run(
    info: AlarmInvocationInfo | undefined,
    work: () => Promise<unknown> = () => this.drain(),
  ): Promise<void> {
    await this.alarm.run(info, this.clock.now(), async () => {
      await work()
      return this.#nextDueAt()
    })
  }

  /** Delivers the messages that are due. */
  drain(): Promise<void> {
    return this.outbox.drain(this.clock.now())
  }

  #open(schema: Schema): void {
    migrate(this.storage, this.#migrations(), schema)
    for (const part of this.#parts) part.load?.(schema)
    this.#isOpen = true
  }

  #nextDueAt(): number | null {
    if (!this.#isOpen) return null
    const now = this.clock.now()
    return earliest(...this.#parts.map((part) => part.nextDueAt?.(now) ?? null))
  }

  #migrations(): Migration[] {
    return this.#parts.flatMap(({ migration }) => migration ?? [])
  }
}
