import type { LogEntry } from '../transparency/entry.ts'

/** The public log's entries of the lootbox's seeds, by day (YYYY-MM-DD). */

/** The commitment of a day, logged when its seed is drawn. */
export function seedHashEntry({
  day,
  seedHash,
  pepperHash,
  committedAt,
}: {
  day: string
  seedHash: string
  pepperHash: string
  committedAt: number
}): LogEntry {
  return { kind: 'seeds', id: seedHashEntryId(day), at: committedAt, seedHash, pepperHash }
}

/** Returns the id of the entry with the commitment of a day. */
export function seedHashEntryId(day: string): string {
  return `${day}:hash`
}

/** Returns the id of the entry with a day's seed. */
export function seedEntryId(day: string): string {
  return `${day}:seed`
}

/** The seed of a day. @param at when it is disclosed, in unix milliseconds */
export function seedEntry(day: string, seed: string, at: number): LogEntry {
  return { kind: 'seeds', id: seedEntryId(day), at, seed }
}
