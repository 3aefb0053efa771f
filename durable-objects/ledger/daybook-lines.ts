import { differenceOfLines, linesOf, summed, type DaybookLine } from '../../src/daybook/lines.ts'
import type { Journal } from './journal.ts'

/** The lines of some operations of one ledger, for the house's books. */
export interface DaybookLines {
  lines: DaybookLine[]
  /** The number of operations. */
  entries: number
  /** The number of the last operation; the next call continues after it. */
  seq: number
  isAll: boolean
  /** The first amount in which the lines differ from the journal; null if none does. */
  problem: string | null
}

/** The range of operations to return lines of. */
export interface DaybookRange {
  /** Operations made from this time until `to`, in unix milliseconds. */
  from: number
  to: number
  /** The number of the operation before the range; 0 for all. */
  after: number
}

/** Entries that are read for one answer. */
const LOOK = 2_000

/** Returns the lines of the next operations of a range. Reads one segment at most. */
export function daybookLines(journal: Journal, { from, to, after }: DaybookRange): DaybookLines {
  const page = journal.pageAt(from, after, LOOK)
  const first = page[0]?.seq ?? journal.latest().seq + 1
  const taken = page.filter(({ at }) => at < to)
  const last = first - 1 + taken.length
  const lines = summed(taken.flatMap(linesOf))
  return {
    lines,
    entries: taken.length,
    seq: last,
    isAll: taken.length < page.length || last >= journal.latest().seq,
    problem: differenceOfLines(lines, journal.headAt(first - 1), journal.headAt(last)),
  }
}
