import type { Migration } from '../kernel/migrations.ts'
import { firstRow } from '../kernel/rows.ts'

/** `archive` has one row from the first try that failed until the archive has everything again. */
const TABLE = `
  CREATE TABLE archive (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    failing_since INTEGER,
    fork TEXT,
    whole_at INTEGER NOT NULL
  ) STRICT;
`

/** The results of the latest calls of the log's archive. Stored, because the object sleeps between them. */
interface Tries {
  /** Since when it has failed, in unix milliseconds; null if it has everything. */
  failingSince: number | null
  /** The file that the log disagrees with; null without one. */
  fork: string | null
  /** When the object was last known to be whole while the archive failed; 0 if it wasn't. */
  wholeAt: number
}

const NONE: Tries = { failingSince: null, fork: null, wholeAt: 0 }

/** The known state of the archive. Nothing is stored while the archive answers and agrees. */
export class ArchiveState {
  readonly migration: Migration = { id: 'archive-state', sql: TABLE }
  readonly #sql: SqlStorage
  #tries: Tries | null = null

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  get failingSince(): number | null {
    return this.#known().failingSince
  }

  get fork(): string | null {
    return this.#known().fork
  }

  get wholeAt(): number {
    return this.#known().wholeAt
  }

  /** @param isWhole whether the object is known to have lost nothing */
  noteFailure(at: number, isWhole: boolean): void {
    const { failingSince, fork, wholeAt } = this.#known()
    if (failingSince !== null && !isWhole) return
    this.#save({ failingSince: failingSince ?? at, fork, wholeAt: isWhole ? at : wholeAt })
  }

  noteFork(key: string | null): void {
    if (key !== this.fork) this.#save({ ...this.#known(), fork: key })
  }

  /** Records that the archive has everything and agrees. */
  noteSuccess(): void {
    if (this.#known() === NONE) return
    this.#sql.exec('DELETE FROM archive')
    this.#tries = NONE
  }

  #known(): Tries {
    const read = () =>
      firstRow(
        this.#sql.exec<{ [field in keyof Tries]: Tries[field] }>(
          'SELECT failing_since AS failingSince, fork, whole_at AS wholeAt FROM archive',
        ),
      )
    this.#tries ??= read() ?? NONE
    return this.#tries
  }

  #save(tries: Tries): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO archive (id, failing_since, fork, whole_at) VALUES (1, ?, ?, ?)',
      tries.failingSince,
      tries.fork,
      tries.wholeAt,
    )
    this.#tries = tries
  }
}
