import { describe, expect, it } from 'vitest'
import { plinkoReturn } from '../../../../src/games/plinko/returns.ts'
import { plinkoTable } from '../../../../src/games/plinko/rule.ts'
import { PLINKO_TABLES, RISKS } from '../../../../src/games/plinko/tables.ts'
import { isAudited } from '../terms.ts'

const BOARDS = PLINKO_TABLES.flatMap(({ since: tables, pays }) =>
  Object.keys(pays).flatMap((rows) => RISKS.map((risk) => ({ tables, rows: Number(rows), risk }))),
)

describe('the exact return', () => {
  it.each(BOARDS)(
    'of $rows rows at $risk risk is about 99% in version $tables',
    ({ tables, ...params }) => {
      const terms = { edgeBps: 0, tables }
      const pays = plinkoTable(params, terms)
      expect(pays).toHaveLength(params.rows + 1)
      expect(pays.toReversed()).toEqual(pays)
      expect(isAudited(plinkoReturn(params, terms))).toBe(true)
    },
  )
})
