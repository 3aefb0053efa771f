import { expect, test } from 'vitest'
import { idPrefix, operationId, partsOfId } from '../../../src/ledger/operation.ts'

test('the id of an operation has its kind first, then what tells it from others', () => {
  expect(operationId('bet', 12, 0)).toBe('bet:12:0')
  expect(operationId('entropy', 7)).toBe('entropy:7')
  expect(operationId('withdraw', '4663:0xab', 3)).toBe('withdraw:4663:0xab:3')
  expect(operationId('permission', 'demo', 'ETH', 2)).toBe('permission:demo:ETH:2')
})

test("a partner's own id may contain colons", () => {
  const id = operationId('bridge', 'demo', 'round:5:debit')
  expect(partsOfId(id)).toEqual({ kind: 'bridge', names: ['demo', 'round', '5', 'debit'] })
})

test('the ids of one partner do not begin like those of another whose name begins the same', () => {
  expect(operationId('bridge', 'demo2', 'x').startsWith(idPrefix('bridge', 'demo'))).toBe(false)
  expect(operationId('bridge', 'demo', 'x').startsWith(idPrefix('bridge', 'demo'))).toBe(true)
})
