import { CommandError } from '../shared/terminal.ts'

/** Reads the time of an option, in unix milliseconds. */
export function readTime(text: string, option = '--seen-at'): number {
  const unixMs = /^\d{12,14}$/.test(text) ? Number(text) : Date.parse(text)
  // Without a zone the time would be read in this machine's zone.
  const hasZone = /^\d+$|Z$|[+-]\d{2}:\d{2}$/.test(text)
  if (!Number.isNaN(unixMs) && hasZone) return unixMs
  throw new CommandError(`${option} must be like 2026-11-21T12:00:00.000Z, or unix milliseconds.`)
}
