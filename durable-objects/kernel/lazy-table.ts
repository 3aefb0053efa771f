import { hasTable, migrate, type Migration, type Schema } from './migrations.ts'

/** A table that few objects need, and that is made when it is first needed. */
export class LazyTable {
  readonly #storage: DurableObjectStorage
  readonly #name: string
  readonly #migration: Migration
  /** Null until it is looked up. */
  #isMade: boolean | null = null

  constructor(storage: DurableObjectStorage, name: string, migration: Migration) {
    this.#storage = storage
    this.#name = name
    this.#migration = migration
  }

  /** Adds the columns that an existing table lacks. */
  load(schema: Schema): void {
    this.#isMade = schema.has(this.#name)
    if (this.#isMade) migrate(this.#storage, [this.#migration], schema)
  }

  forget(): void {
    this.#isMade = null
  }

  get isMade(): boolean {
    this.#isMade ??= hasTable(this.#storage, this.#name)
    return this.#isMade
  }

  /** Makes the table, outside of any transaction. */
  make(): void {
    migrate(this.#storage, [this.#migration])
    this.#isMade = true
  }
}
