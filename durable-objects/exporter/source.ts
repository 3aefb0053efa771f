import type { Dataset } from '../../src/exports/manifest.ts'

/** The export of one day while it is written. */
export interface Job {
  day: string
  /** Rows of this time or later belong to a later day, in unix milliseconds. */
  before: number
  /** The rounds of the day have numbers above `roundsAfter`, up to `roundsLast`. */
  roundsAfter: number
  roundsLast: number
  /** Wallets whose position was sent since then are asked for their plays. */
  since: number
}

/** How far a day has come. */
export interface WrittenRows {
  /** The rows of the current file so far. */
  rows: number
  /** The bets that the rounds written so far have. */
  bets: number
}

/** Some rows of a day's file, and where the next ones begin. */
export interface Page {
  rows: { key: string; line: string }[]
  /** Null after the last page. */
  cursor: string | null
  /** The bets that its rounds have. */
  bets?: number
  /** Stores the page's other findings, in the transaction that stores its rows. */
  keep?: () => void
}

/** Where the rows of a dataset come from. */
export interface Source {
  dataset: Dataset
  /**
   * Returns the page at a cursor, which is empty at the start. Nothing is stored before its rows are. Returns null if
   * the file lacks rows that have been lost: it must begin again once they are back.
   */
  page(job: Job & WrittenRows, cursor: string): Promise<Page | null>
}
