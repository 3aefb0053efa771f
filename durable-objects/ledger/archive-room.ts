import { SECOND_MS } from '../../src/core/utc-day.ts'
/**
 * Bounds the segments from archives that one isolate holds in memory, for all its ledgers together: each takes about 7
 * MB of 128, and unpacking it takes 50 ms of everybody's time.
 */

/**
 * The kind of call that needs a segment: the house's count or export of a day, a call about money, a read by the
 * wallet's own player or partner, or a read by anyone.
 */
export type Reader = 'house' | 'money' | 'owner' | 'anyone'

/** The most segments that calls hold at a time, excluding the house's, which asks ten wallets at a time. */
const MOST_HELD = 8
/** The most segments that reads hold at a time, which leaves room for calls about money. */
const MOST_READ = 4
/** The most that anyone may have fetched in a second. */
const MOST_FOR_ANYONE = 4
/** A read of an object that is reset gives nothing back. */
const LONGEST_MS = 10_000

/** Room for a segment that a read needs. */
export interface Room {
  at: number
  reader: Reader
  /** Whether a call fetches or holds the segment. */
  isTaken: boolean
}

const rooms = new Set<Room>()

/** Reserves room for a segment, or returns null if none is left. The house always gets room. */
export function takeRoom(reader: Reader): Room | null {
  const now = Date.now()
  const room = { at: now, reader, isTaken: true }
  if (reader === 'house') return room
  for (const each of rooms) {
    const countsMs = each.isTaken ? LONGEST_MS : each.reader === 'anyone' ? SECOND_MS : 0
    if (Math.abs(now - each.at) >= countsMs) rooms.delete(each)
  }
  const taken = [...rooms].filter(({ isTaken }) => isTaken)
  if (taken.length >= MOST_HELD) return null
  if (reader !== 'money') {
    const reads = taken.filter((each) => each.reader !== 'money')
    const forAnyone = [...rooms].filter((each) => each.reader === 'anyone')
    const isFull = reader === 'anyone' && forAnyone.length >= MOST_FOR_ANYONE
    if (isFull || reads.length >= MOST_READ) return null
  }
  rooms.add(room)
  return room
}

/** A segment that no call holds any more; the next page or stake may need it. */
interface Spare {
  segment: object
  isForAnyone: boolean
  forget(): void
}

/** The most spares. Reads by anyone have a single one, which never displaces the others. */
const MOST_SPARE = { own: 3, forAnyone: 1 }

const spares = new Set<Spare>()

/**
 * Keeps a segment in memory until newer ones take its place. @param forget releases it, unless a call holds it again
 */
export function keepSpare(segment: object, reader: Reader, forget: () => void): void {
  const isForAnyone = reader === 'anyone'
  for (const each of spares) if (each.segment === segment) spares.delete(each)
  spares.add({ segment, isForAnyone, forget })
  const alike = [...spares].filter((each) => each.isForAnyone === isForAnyone)
  const most = isForAnyone ? MOST_SPARE.forAnyone : MOST_SPARE.own
  for (const each of alike.slice(0, -most)) {
    spares.delete(each)
    each.forget()
  }
}
