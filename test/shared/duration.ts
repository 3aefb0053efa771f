import { CommandError } from '../../src/cli/shared/terminal.ts'

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000 }

/** Reads a duration such as 60s, 5m or 1h from an option, in milliseconds. */
export function durationMs(name: string, text: string): number {
  const [, amount, unit] = /^(\d{1,6})([smh])$/.exec(text) ?? []
  if (unit !== undefined) return Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS]
  throw new CommandError(`${name} must be a duration such as 60s, 5m or 1h.`)
}
