import { DAY_MS, endOfDay, isoTime } from '../core/utc-day.ts'

/**
 * Returns whether a row was exported more than a day late. Outages delay honest rows, too, without a bound. A house
 * could date a row back, to the terms of another day, but it can't change which day's file the row is in.
 * @param at of the row, in unix milliseconds @param exportedOn the day of its file, as YYYY-MM-DD
 */
export function isExportedLate(at: number, exportedOn: string): boolean {
  return at < Date.parse(exportedOn) - DAY_MS
}

/**
 * Returns the problem if a row is of a later day than its file; null if it isn't. A file has only rows that existed
 * when its day ended.
 */
export function aheadOfFile(at: number, exportedOn: string): string | null {
  if (at < endOfDay(exportedOn)) return null
  return `it is of ${isoTime(at)}, but in the export of ${exportedOn}`
}
