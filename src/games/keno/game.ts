import { ofHundredths } from '../../money/rational.ts'
import type { GameSpec } from '../game.ts'
import { tableOf } from '../tables.ts'
import { kenoReturn, kenoReturns } from './returns.ts'
import {
  kenoTable,
  MAX_PICKS,
  META,
  PARAMS,
  playKeno,
  type KenoMeta,
  type KenoParams,
} from './rule.ts'
import { KENO_RISKS, KENO_TABLES } from './tables.ts'
import { proof, sketch, words } from './words.ts'

export const keno: GameSpec<KenoParams, KenoMeta> = {
  rule: `Pick up to ${MAX_PICKS} numbers. Ten are drawn. More hits pay more.`,
  params: PARAMS,
  example: { picks: [7, 14, 21, 28, 35] },
  meta: META,
  play: playKeno,
  best: (params, terms) => ofHundredths(Math.max(...kenoTable(params, terms))),
  chosen: ({ picks, risk }) => ({ picks, risk }),
  returns: kenoReturn,
  returnsTable: kenoReturns,
  tables: {
    versions: KENO_TABLES,
    fields: {
      kenoTables: {
        kind: 'byOption',
        options: KENO_RISKS,
        each: {
          kind: 'byNumber',
          each: { kind: 'pays', description: 'The payout of each number of hits.' },
          description: 'By the number of picks.',
        },
        description: `The payouts of 0, 1, … hits, by risk and number of picks from 1 to ${MAX_PICKS}.`,
      },
    },
    shown: (version) => ({ kenoTables: tableOf(KENO_TABLES, version) }),
  },
  words,
  proof,
  sketch,
}
