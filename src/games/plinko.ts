import { invariant } from '../core/invariant.ts'
import { ofHundredths } from '../money/rational.ts'
import type { Outcome } from './outcome.ts'
import type { RandomStream } from './stream.ts'
import { payTables, type Risk } from './tables.ts'

export const MIN_ROWS = 8
export const MAX_ROWS = 16

export interface PlinkoParams {
  risk: Risk
  rows: number
}

export interface PlinkoMeta extends PlinkoParams {
  bucket: number
  /** One letter a row, from the top: L or R. */
  path: string
}

/** One float a row, right from a half up; the bucket is the number of rights. The table pays by it. */
export function playPlinko(
  { risk, rows }: PlinkoParams,
  stream: RandomStream,
  tables: number,
): Outcome<PlinkoMeta> {
  const path = Array.from({ length: rows }, () => (stream.next(2) === 1 ? 'R' : 'L'))
  const bucket = path.filter((turn) => turn === 'R').length
  const pays = plinkoTable({ risk, rows }, tables)[bucket]
  invariant(pays !== undefined, 'every bucket pays something')
  return { multiplier: ofHundredths(pays), meta: { bucket, path: path.join(''), rows, risk } }
}

/** @param tables the version of the pay tables */
export function plinkoTable({ risk, rows }: PlinkoParams, tables: number) {
  const table = payTables(tables).plinko[rows]
  invariant(table, `there is no board with ${rows} rows`)
  return table[risk]
}
