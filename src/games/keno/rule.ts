import { invariant } from '../../core/invariant.ts'
import { ofHundredths } from '../../money/rational.ts'
import type { MetaField, ParamField, Values } from '../fields.ts'
import type { Outcome, PayTerms } from '../game.ts'
import { drawDistinct, type RandomStream } from '../stream.ts'
import { tableOf } from '../tables.ts'
import { KENO_RISKS, KENO_TABLES } from './tables.ts'

export const KENO_NUMBERS = 40
export const KENO_DRAWS = 10
export const MAX_PICKS = 10

export const PARAMS = {
  picks: {
    kind: 'distinct',
    min: 1,
    max: KENO_NUMBERS,
    most: MAX_PICKS,
    description: `1 to ${MAX_PICKS} distinct numbers from 1 to ${KENO_NUMBERS}.`,
  },
  risk: {
    kind: 'choice',
    options: KENO_RISKS,
    fallback: 'classic',
    description: 'The pay table; classic by default.',
  },
} as const satisfies Record<string, ParamField>

export type KenoParams = Values<typeof PARAMS>

const numbers = { kind: 'wholes', min: 1, max: KENO_NUMBERS } as const

export const META = {
  draws: { ...numbers, description: 'The ten numbers drawn, in draw order.' },
  picks: { ...numbers, description: 'The picked numbers.' },
  hits: { kind: 'whole', min: 0, description: 'The number of picks that were drawn.' },
  risk: { kind: 'choice', options: KENO_RISKS, description: 'The pay table used.' },
} as const satisfies Record<string, MetaField>

export type KenoMeta = Values<typeof META>

/** Draws ten of forty numbers. The table pays by picks and hits. */
export function playKeno(
  { picks, risk }: KenoParams,
  stream: RandomStream,
  terms: Pick<PayTerms, 'tables'>,
): Outcome<KenoMeta> {
  const draws = drawDistinct(stream, KENO_NUMBERS, KENO_DRAWS).map((index) => index + 1)
  const hits = picks.filter((pick) => draws.includes(pick)).length
  const pays = kenoTable({ picks, risk }, terms)[hits]
  invariant(pays !== undefined, 'every number of hits pays something')
  return { multiplier: ofHundredths(pays), meta: { draws, picks, hits, risk } }
}

export function kenoTable({ picks, risk }: KenoParams, { tables }: Pick<PayTerms, 'tables'>) {
  const table = tableOf(KENO_TABLES, tables)[risk][picks.length]
  invariant(table, `there is no table for ${picks.length} picks`)
  return table
}
