import { afterEach, expect, it } from 'vitest'
import {
  takeRoom,
  type Reader,
  type Room,
} from '../../../../durable-objects/ledger/archive-room.ts'

const held: Room[] = []

/** Returns how many segments of a number get room. */
function take(reader: Reader, count: number): number {
  const rooms = Array.from({ length: count }, () => takeRoom(reader)).filter(
    (room) => room !== null,
  )
  held.push(...rooms)
  return rooms.length
}

afterEach(() => {
  for (const room of held.splice(0)) room.isTaken = false
})

it('has room for eight segments of calls about money, and for the house all the same', () => {
  expect(take('money', 20)).toBe(8)
  expect(take('owner', 1)).toBe(0)
  expect(take('house', 20)).toBe(20)
})

it('has room for four segments of calls about money, however many reads take theirs', () => {
  expect(take('owner', 20)).toBe(4)
  expect(take('money', 20)).toBe(4)
})

it('has room for reads while calls about money hold half of it', () => {
  expect(take('money', 4)).toBe(4)
  expect(take('owner', 20)).toBe(4)
})
