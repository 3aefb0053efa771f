import { LEDGER_LIMIT_BYTES } from '../../src/ledger/capacity.ts'
import type { Alarm } from '../kernel/alarm.ts'
import type { Clock } from '../kernel/clock.ts'
import { hasTable, migrate } from '../kernel/migrations.ts'
import { Operations } from '../kernel/operations.ts'
import { Outbox, type OutboxMessage } from '../kernel/outbox.ts'
import { transact, type Settled } from '../kernel/transact.ts'

/** How long a movement may wait before D1 hears of it. */
const PROJECTION_DELAY_MS = 300_000

/** The one note to D1 that a ledger has waiting. */
const PROJECTION = 'projection'

/** What keeps something in memory that a failed transaction may have undone. */
interface Forgetful {
  forget(): void
}

/**
 * The books of one wallet: its journal, what waits to be told to others, and the one way to change
 * anything. They are opened when there are chips to keep; the seed of a first play needs no books.
 */
export class Books {
  readonly operations: Operations
  readonly outbox: Outbox
  readonly #storage: DurableObjectStorage
  readonly #migrations: readonly string[]
  readonly #clock: Clock
  readonly #alarm: Alarm
  readonly #forgetful: Forgetful[]
  #isOpen = false
  /** Whether D1 will hear of the latest movement without another message. */
  #isProjectionQueued = false

  /**
   * @param project tells D1 what it does not know yet
   * @param send delivers any other message
   */
  constructor(
    storage: DurableObjectStorage,
    migrations: readonly string[],
    parts: {
      clock: Clock
      alarm: Alarm
      project: () => Promise<void>
      send: (message: OutboxMessage) => Promise<void>
    },
  ) {
    const { clock, alarm, project, send } = parts
    this.#storage = storage
    this.#migrations = migrations
    this.#clock = clock
    this.#alarm = alarm
    this.operations = new Operations(storage.sql)
    this.outbox = new Outbox(storage.sql, (message) =>
      message.kind === PROJECTION ? this.#project(project) : send(message),
    )
    this.#forgetful = [this.operations]
    if (hasTable(storage, 'journal')) this.open()
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Whether the journal has no room for what may be refused. */
  get isFull(): boolean {
    return this.#storage.sql.databaseSize >= LEDGER_LIMIT_BYTES
  }

  /** From here on the wallet has books. */
  open(): void {
    if (this.#isOpen) return
    migrate(this.#storage, this.#migrations)
    this.#isProjectionQueued = this.outbox.has(PROJECTION)
    // Entries stay in the order of their times, whatever the machine's clock says after a restart.
    this.#clock.notBefore(this.operations.latestTime())
    this.#isOpen = true
  }

  /** Names something that keeps in memory what the database may undo. */
  watch(forgetful: Forgetful): void {
    this.#forgetful.push(forgetful)
  }

  /** Drops everything that is kept in memory: the database has it, or has undone it. */
  forget(): void {
    for (const part of this.#forgetful) part.forget()
  }

  /** One transaction, and with it the note that D1 shall hear of it. */
  commit<T>(at: number, work: () => Settled<T>): Settled<T> {
    const result = this.#orForget(() =>
      transact(this.#storage, () => {
        const done = work()
        if (!this.#isProjectionQueued) {
          this.outbox.add({ kind: PROJECTION, payload: '' }, at + PROJECTION_DELAY_MS)
        }
        return done
      }),
    )
    this.#isProjectionQueued = true
    this.#alarm.wakeBy(at + PROJECTION_DELAY_MS, at)
    return result
  }

  #orForget<T>(work: () => T): T {
    try {
      return work()
    } catch (fault) {
      this.forget()
      throw fault
    }
  }

  /** Tells D1, and makes sure it hears of what moved meanwhile. */
  async #project(project: () => Promise<void>): Promise<void> {
    const { seq } = this.operations.head()
    await project()
    this.#isProjectionQueued = false
    if (this.operations.head().seq > seq) this.commit(this.#clock.now(), () => {})
  }
}
