import type { Part } from '../kernel/kernel.ts'

/** A row for each change of the terms, because a row for each operation would cost as much as the operation. */
const TABLES = `
  CREATE TABLE terms (
    from_seq INTEGER PRIMARY KEY,
    hash TEXT NOT NULL
  ) STRICT;
`

type Row = { fromSeq: number; hash: string }

/** The terms of play under which a wallet's operations were accepted: a repeated answer must name the same. */
export class TermsHistory implements Part {
  readonly migration = { id: 'terms', sql: TABLES }
  readonly #sql: SqlStorage
  #rows: Row[] | null = null

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Returns the hash of the terms that an operation follows, or null if none are recorded for it. */
  of(seq: number): string | null {
    return this.#changes().findLast(({ fromSeq }) => fromSeq <= seq)?.hash ?? null
  }

  /** Returns the hash of the terms that the latest operation follows, or null if none are recorded. */
  latest(): string | null {
    return this.#changes().at(-1)?.hash ?? null
  }

  /** Records the hash of the terms of an operation that is about to be recorded. */
  follow(fromSeq: number, hash: string): void {
    if (this.latest() === hash) return
    this.#sql.exec('INSERT INTO terms (from_seq, hash) VALUES (?, ?)', fromSeq, hash)
    this.#changes().push({ fromSeq, hash })
  }

  forget(): void {
    this.#rows = null
  }

  #changes(): Row[] {
    this.#rows ??= this.#sql
      .exec<Row>('SELECT from_seq AS fromSeq, hash FROM terms ORDER BY from_seq')
      .toArray()
    return this.#rows
  }
}
