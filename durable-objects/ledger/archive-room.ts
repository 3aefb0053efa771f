/**
 * Bounds the segments from archives that the memory of one isolate holds, for all its ledgers together: each takes about
 * 7 MB of 128, and unpacking it takes 50 ms of everybody's time.
 */

/** The most segments that calls hold at a time. */
const MOST = 8
/** The most of them for reads that anyone may make, in any second. */
const MOST_PUBLIC = 4
const PUBLIC_MS = 1_000

/** A call of an object that is reset gives nothing back. */
const LONGEST_MS = 30_000

/** Room for a segment in memory. */
export interface Room {
  at: number
  isPublic: boolean
  /** Whether a call fetches or holds the segment. */
  isTaken: boolean
}

const rooms = new Set<Room>()

/** A segment that no call holds any more; the next page may need it. */
interface Spare {
  segment: object
  forget(): void
}

let spare: Spare | null = null

/** Takes room for a segment. Returns null if there is none now. */
export function takeRoom(isPublic: boolean): Room | null {
  const now = Date.now()
  for (const each of rooms) {
    const countsMs = each.isTaken ? LONGEST_MS : each.isPublic ? PUBLIC_MS : 0
    if (Math.abs(now - each.at) >= countsMs) rooms.delete(each)
  }
  const taken = [...rooms].filter(({ isTaken }) => isTaken)
  if (taken.length >= MOST) return null
  if (isPublic && [...rooms].filter((each) => each.isPublic).length >= MOST_PUBLIC) return null
  const room = { at: now, isPublic, isTaken: true }
  rooms.add(room)
  return room
}

/** Keeps a segment in memory until another one is kept. @param forget lets go of it, unless a call holds it again */
export function keepSpare(segment: object, forget: () => void): void {
  if (spare?.segment !== segment) spare?.forget()
  spare = { segment, forget }
}
