import { describe, expect, it } from 'vitest'
import { kenoReturn } from '../../../../src/games/keno/returns.ts'
import { kenoTable } from '../../../../src/games/keno/rule.ts'
import { KENO_RISKS, KENO_TABLES } from '../../../../src/games/keno/tables.ts'
import { isAudited } from '../terms.ts'

const CHOICES = KENO_TABLES.flatMap(({ since: tables, pays }) =>
  KENO_RISKS.flatMap((risk) =>
    Object.keys(pays[risk]).map((picks) => ({ tables, risk, count: Number(picks) })),
  ),
)

describe('the exact return', () => {
  it.each(CHOICES)(
    'of $count picks at $risk risk is about 99% in version $tables',
    ({ tables, risk, count }) => {
      const terms = { edgeBps: 0, tables }
      const picks = Array.from({ length: count }, (_, index) => index + 1)
      expect(kenoTable({ picks, risk }, terms)).toHaveLength(count + 1)
      expect(isAudited(kenoReturn({ picks, risk }, terms))).toBe(true)
    },
  )
})
