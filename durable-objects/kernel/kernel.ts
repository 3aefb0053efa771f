import { invariant } from '../../src/core/invariant.ts'
import { Alarm, earliest } from './alarm.ts'
import { Clock } from './clock.ts'
import { checkMigrations, isBlank, migrate, type Migration } from './migrations.ts'
import { Outbox } from './outbox.ts'
import { transact, type Settled } from './transact.ts'

/** A part of an object, with everything that the object has to do for it. */
export interface Part {
  /** Creates its tables. A later change to them is a part of its own, at the end of the list. */
  readonly migration?: Migration
  /** Reads what it keeps in memory. Called once its tables exist. */
  load?(): void
  /** When it next needs the alarm; null while it does not. */
  nextDueAt?(now: number): number | null
  /** Delivers the outbox messages of some kinds, by kind. */
  readonly deliver?: Readonly<Record<string, (payload: string) => Promise<void>>>
  /** Drops what it keeps in memory, because the database has undone it. */
  forget?(): void
  /** Returns what is wrong with what it has written, or null. */
  audit?(): string | null
}

/** What the parts of one object share: its clock, its alarm, its outbox and its transactions. */
export class Kernel {
  readonly storage: DurableObjectStorage
  readonly clock = new Clock()
  readonly alarm: Alarm
  readonly outbox: Outbox
  readonly #ctx: DurableObjectState
  #parts: readonly Part[] = []
  #isOpen = false

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx
    this.storage = ctx.storage
    this.alarm = new Alarm(ctx.storage)
    this.outbox = new Outbox(ctx.storage.sql, async ({ kind, payload }) => {
      const deliver = this.#parts.find((part) => part.deliver?.[kind])?.deliver?.[kind]
      invariant(deliver, `no part delivers messages of the kind ${kind}`)
      await deliver(payload)
    })
  }

  /**
   * Puts the object together; its constructor calls this once. The order of the parts is that of their
   * migrations: append to it, never change it.
   * @param isMade whether the object has been opened before; its tables are then brought up to date
   */
  assemble(parts: readonly Part[], isMade: boolean = !isBlank(this.storage)): void {
    this.#parts = parts
    checkMigrations(this.storage, this.#migrations())
    if (isMade) this.open()
    void this.#ctx.blockConcurrencyWhile(() => this.alarm.load())
  }

  /** Whether the object has its tables. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Makes the tables of all parts, and has the parts read what they keep in memory. */
  open(): void {
    if (this.#isOpen) return
    migrate(this.storage, this.#migrations())
    for (const part of this.#parts) part.load?.()
    this.#isOpen = true
  }

  /** Runs synchronous work in one transaction. If it fails, the parts forget what the database has undone. */
  transact<T>(work: () => Settled<T>): Settled<T> {
    try {
      return transact(this.storage, work)
    } catch (fault) {
      this.forget()
      throw fault
    }
  }

  /** Drops everything that is kept in memory. */
  forget(): void {
    for (const part of this.#parts) part.forget?.()
  }

  /** Returns the first problem that a part finds in what it has written; null if there is none. */
  audit(): string | null {
    for (const part of this.#parts) {
      const problem = part.audit?.() ?? null
      if (problem !== null) return problem
    }
    return null
  }

  /** Makes sure that the alarm goes off when a part needs it. */
  wake(): void {
    this.alarm.wakeBy(this.#nextDueAt(), this.clock.now())
  }

  /** Runs the alarm's work, by default the delivery of what is due, and sets the next alarm. */
  async run(
    info: AlarmInvocationInfo | undefined,
    work: () => Promise<void> = () => this.drain(),
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

  #nextDueAt(): number | null {
    if (!this.#isOpen) return null
    const now = this.clock.now()
    return earliest(...this.#parts.map((part) => part.nextDueAt?.(now) ?? null))
  }

  #migrations(): Migration[] {
    return this.#parts.flatMap(({ migration }) => migration ?? [])
  }
}
