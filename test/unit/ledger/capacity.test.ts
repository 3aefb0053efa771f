import { expect, it } from 'vitest'
import { MAX_BODY_BYTES } from '../../../src/api/http/body.ts'
import { LEDGER_LIMIT_BYTES, SMALL_JOURNAL_ENTRIES } from '../../../src/ledger/capacity.ts'

it('a small journal is below its limit, even if each entry takes as much as the largest body', () => {
  expect(SMALL_JOURNAL_ENTRIES * MAX_BODY_BYTES).toBeLessThan(LEDGER_LIMIT_BYTES)
})
