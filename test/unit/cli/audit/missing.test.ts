import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { LoggedHistory } from '../../../../src/audit/in-log.ts'
import { missingFrom } from '../../../../src/cli/audit/missing.ts'
import type { OwnRows } from '../../../../src/cli/audit/own-rows.ts'
import { canonicalJson } from '../../../../src/core/canonical-json.ts'
import { seedHashEntry } from '../../../../src/lootbox/log-entries.ts'
import type { LogEntry } from '../../../../src/transparency/entry.ts'

const DAY = '2026-11-20'
const OWN = { missing: () => [] } as Partial<OwnRows> as OwnRows
const at = (date: string) => Date.parse(`${date}T12:00Z`)

const OFFERED = { lootbox: { price: '1' } }
const HASH = createHash('sha256').update(canonicalJson(OFFERED)).digest('hex')
const terms = (began: string): LogEntry => ({
  kind: 'terms',
  id: HASH,
  at: at(began),
  terms: OFFERED,
})
const planned = (date: string): LogEntry => ({ kind: 'plan', id: date, at: at(date), terms: HASH })
const rounds = [planned('2026-11-18'), planned(DAY)]
const committed = seedHashEntry({ day: DAY, seedHash: '', pepperHash: '', committedAt: 0 })

/** The lootbox days that an audit misses in a log with these entries. */
function missed(entries: LogEntry[], audited = { first: DAY, last: DAY }): string[] {
  const history = new LoggedHistory(Date.parse('2030-01-01'))
  entries.forEach((entry, index) => history.take({ index, entry }))
  const found = missingFrom({ ...audited, to: null, listed: null, askedAt: 0 }, OWN, history)
  return found.flatMap(({ where }) => (where.startsWith('the lootbox') ? [where] : []))
}

it('an audit reports a day that offered a lootbox and was never committed to', () => {
  expect(missed([terms('2026-11-01'), ...rounds])).toEqual([`the lootbox of ${DAY}`])
  expect(missed([terms('2026-11-01'), committed, ...rounds])).toEqual([])
})

it.each<[string, LogEntry[], { first: string; last: string }?]>([
  ['is not audited', [terms('2026-11-01'), ...rounds], { first: '2026-11-21', last: '2026-11-22' }],
  ['had no round', [terms('2026-11-01'), planned('2026-11-18')]],
  ['may have been committed to before the log began', [terms('2026-11-18'), ...rounds]],
])('an audit does not miss the commitment to a day that %s', (_why, entries, audited) => {
  expect(missed(entries, audited)).toEqual([])
})
