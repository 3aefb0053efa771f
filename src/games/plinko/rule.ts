import { invariant } from '../../core/invariant.ts'
import { ofHundredths } from '../../money/rational.ts'
import type { MetaField, ParamField, Values } from '../fields.ts'
import type { Outcome, PayTerms } from '../game.ts'
import type { RandomStream } from '../stream.ts'
import { tableOf } from '../tables.ts'
import { PLINKO_TABLES, RISKS } from './tables.ts'

export const MIN_ROWS = 8
export const MAX_ROWS = 16

export const PARAMS = {
  risk: { kind: 'choice', options: RISKS, description: 'The pay table.' },
  rows: {
    kind: 'whole',
    min: MIN_ROWS,
    max: MAX_ROWS,
    fallback: MAX_ROWS,
    description: `The number of rows of pegs; ${MAX_ROWS} by default.`,
  },
} as const satisfies Record<string, ParamField>

export type PlinkoParams = Values<typeof PARAMS>

export const META = {
  bucket: { kind: 'whole', min: 0, description: 'The number of turns to the right.' },
  path: {
    kind: 'text',
    pattern: /^[LR]{8,16}$/,
    description: 'One letter per row from the top, L or R.',
  },
  rows: { kind: 'whole', min: 0, description: 'The number of rows.' },
  risk: { kind: 'choice', options: RISKS, description: 'The pay table used.' },
} as const satisfies Record<string, MetaField>

export type PlinkoMeta = Values<typeof META>

/** Uses one float per row: right from one half up. The bucket is the number of rights and sets the payout. */
export function playPlinko(
  { risk, rows }: PlinkoParams,
  stream: RandomStream,
  terms: Pick<PayTerms, 'tables'>,
): Outcome<PlinkoMeta> {
  const path = Array.from({ length: rows }, () => (stream.next(2) === 1 ? 'R' : 'L'))
  const bucket = path.filter((turn) => turn === 'R').length
  const pays = plinkoTable({ risk, rows }, terms)[bucket]
  invariant(pays !== undefined, 'every bucket pays something')
  return { multiplier: ofHundredths(pays), meta: { bucket, path: path.join(''), rows, risk } }
}

export function plinkoTable({ risk, rows }: PlinkoParams, { tables }: Pick<PayTerms, 'tables'>) {
  const table = tableOf(PLINKO_TABLES, tables)[rows]
  invariant(table, `there is no board with ${rows} rows`)
  return table[risk]
}
