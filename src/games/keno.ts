import { invariant } from '../core/invariant.ts'
import { ofHundredths } from '../money/rational.ts'
import type { Outcome } from './outcome.ts'
import { drawDistinct, type RandomStream } from './stream.ts'
import { payTables, type KenoRisk } from './tables.ts'

export const KENO_NUMBERS = 40
export const KENO_DRAWS = 10
export const MAX_PICKS = 10

export interface KenoParams {
  /** Distinct numbers from 1 to 40. */
  picks: number[]
  risk: KenoRisk
}

export interface KenoMeta extends KenoParams {
  /** The numbers drawn, in draw order. */
  draws: number[]
  /** How many of the picks were drawn. */
  hits: number
}

/** Ten numbers are drawn from forty; the table pays by picks and hits. */
export function playKeno(
  { picks, risk }: KenoParams,
  stream: RandomStream,
  tables: number,
): Outcome<KenoMeta> {
  const draws = drawDistinct(stream, KENO_NUMBERS, KENO_DRAWS).map((index) => index + 1)
  const hits = picks.filter((pick) => draws.includes(pick)).length
  const pays = kenoTable({ picks, risk }, tables)[hits]
  invariant(pays !== undefined, 'every number of hits pays something')
  return { multiplier: ofHundredths(pays), meta: { draws, picks, hits, risk } }
}

/** @param tables the version of the pay tables */
export function kenoTable({ picks, risk }: KenoParams, tables: number) {
  const table = payTables(tables).keno[risk][picks.length]
  invariant(table, `there is no table for ${picks.length} picks`)
  return table
}
