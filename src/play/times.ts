import { DAY_MS } from '../core/utc-day.ts'

const STEPS = [
  ['day', DAY_MS],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** Formats the time from now: "5 minutes ago". @param at unix milliseconds */
export function fromNow(at: number): string {
  const ms = at - Date.now()
  for (const [unit, length] of STEPS) {
    if (Math.abs(ms) >= length) return format.format(Math.trunc(ms / length), unit)
  }
  return 'just now'
}

/** Formats a time by the browser's locale: "22 Nov 2026, 18:30". @param at unix milliseconds */
export function timeOf(at: number): string {
  return new Date(at).toLocaleString(undefined, {
    dateStyle: 'medium',
    timeStyle: 'short',
    numberingSystem: 'latn',
  })
}

/** Formats a time for a narrow column: "22/11/2026, 18:30". @param at unix milliseconds */
export function shortTimeOf(at: number): string {
  return new Date(at).toLocaleString(undefined, {
    dateStyle: 'short',
    timeStyle: 'short',
    numberingSystem: 'latn',
  })
}

/** Formats the same time in UTC: "2026-11-22 18:30:05 UTC". */
export function utcOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** Formats a UTC day: "Sat, 21 Nov". */
export function shortDate(date: string): string {
  const options = { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' } as const
  return new Date(`${date}T00:00:00Z`).toLocaleDateString(undefined, {
    ...options,
    numberingSystem: 'latn',
  })
}
