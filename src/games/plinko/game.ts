import { ofHundredths } from '../../money/rational.ts'
import type { TableField } from '../fields.ts'
import type { GameSpec } from '../game.ts'
import { tableOf } from '../tables.ts'
import { plinkoReturn, plinkoReturns } from './returns.ts'
import {
  MAX_ROWS,
  META,
  MIN_ROWS,
  PARAMS,
  plinkoTable,
  playPlinko,
  type PlinkoMeta,
  type PlinkoParams,
} from './rule.ts'
import { PLINKO_TABLES, RISKS } from './tables.ts'
import { proof, sketch, words } from './words.ts'

const byRisk = {
  kind: 'byOption',
  options: RISKS,
  each: { kind: 'pays', description: 'The payout of each bucket.' },
} as const satisfies TableField

export const plinko: GameSpec<PlinkoParams, PlinkoMeta> = {
  rule: 'The ball goes left or right at each peg. The bucket that it lands in sets your payout.',
  params: PARAMS,
  example: { risk: 'medium' },
  meta: META,
  play: playPlinko,
  best: (params, terms) => ofHundredths(Math.max(...plinkoTable(params, terms))),
  chosen: ({ risk, rows }) => ({ risk, rows }),
  returns: plinkoReturn,
  returnsTable: plinkoReturns,
  tables: {
    versions: PLINKO_TABLES,
    fields: {
      plinkoTables: {
        ...byRisk,
        description: `The payouts of buckets 0 to ${MAX_ROWS} with ${MAX_ROWS} rows, by risk.`,
      },
      plinkoRows: {
        kind: 'byNumber',
        each: byRisk,
        description: `The same for every number of rows from ${MIN_ROWS} to ${MAX_ROWS}.`,
      },
    },
    shown(version) {
      const plinkoRows = tableOf(PLINKO_TABLES, version)
      return { plinkoTables: plinkoRows[MAX_ROWS], plinkoRows }
    },
  },
  words,
  proof,
  sketch,
}
