import type { Random } from './random.ts'

/** What may not answer for a while, by the boundaries at which it is called. */
const CALLS = {
  D1: />(DB|HISTORY)$/,
  R2: />(ARCHIVE|EXPORTS)\.\w+$/,
  'the public log': />TransparencyLog\.\w+$/,
  'the node': />node$/,
} as const

/** The share of histories with an outage, when it begins, and how long it lasts. In milliseconds. */
const WITH_OUTAGE = 0.1
const OUT_AFTER_MS = [3_000, 30_000] as const
const OUT_MS = [20_000, 120_000] as const
/** The share of outages during which nothing else fails. */
const ALONE = 0.4

/** A time in which all calls of something fail. */
export interface Outage {
  what: keyof typeof CALLS
  /** The boundaries at which calls fail. */
  calls: RegExp
  afterMs: number
  lastsMs: number
  /** Whether nothing else fails in its history. */
  isAlone: boolean
}

/** Returns whether a history has an outage. */
export function hasOutage(random: Random): boolean {
  return random.chance('has an outage', WITH_OUTAGE)
}

/** Returns the outage of a history, or null. */
export function outageOf(random: Random, hasVault: boolean): Outage | null {
  if (!hasOutage(random)) return null
  const all = ['D1', 'R2', 'the public log', ...(hasVault ? (['the node'] as const) : [])] as const
  const what = random.pick('what is out', all)
  return {
    what,
    calls: CALLS[what],
    afterMs: random.between('out after', ...OUT_AFTER_MS),
    lastsMs: random.between('out for', ...OUT_MS),
    isAlone: random.chance('the outage is alone', ALONE),
  }
}
