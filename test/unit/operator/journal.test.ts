import { expect, it } from 'vitest'
import { isNextEntry, nextEntry, type OperatorJournalEntry } from '../../../src/operator/journal.ts'

const approval = {
  operator: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  role: 'treasurer',
  at: 1_800_000_000_000,
  act: { act: 'unfreeze', target: '0x7099', reason: 'A rehearsal.', expiresAt: 1_800_000_600 },
  actHash: `0x${'ac'.repeat(32)}`,
  signature: '0x5d',
} as const

const first = nextEntry(null, approval)
const second = nextEntry(first, { ...approval, at: approval.at + 1 })

it('chains each approval to the one before it', () => {
  expect([first.number, first.prevHash]).toEqual([1, '0'.repeat(64)])
  expect([second.number, second.prevHash]).toEqual([2, first.hash])
  expect([isNextEntry(null, first), isNextEntry(first, second)]).toEqual([true, true])
})

it.each<[string, Partial<OperatorJournalEntry>]>([
  ['operator', { operator: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' }],
  ['role', { role: 'admin' }],
  ['time', { at: approval.at + 2 }],
  ['reason', { act: { ...approval.act, reason: 'Another.' } }],
  ['hash of the act', { actHash: `0x${'ad'.repeat(32)}` }],
  ['signature', { signature: '0x5e' }],
  ['number', { number: 3 }],
])('notices another %s', (_what, change) => {
  expect(isNextEntry(first, { ...second, ...change })).toBe(false)
})

it('notices an entry that was left out or exchanged', () => {
  const third = nextEntry(second, approval)
  expect(isNextEntry(first, third)).toBe(false)
  expect(isNextEntry(null, second)).toBe(false)
  expect(isNextEntry(nextEntry(null, { ...approval, signature: '0x' }), second)).toBe(false)
})
