import type { Coverage } from './coverage.ts'
import type { Random } from './random.ts'
import { THEMES, type Theme } from './themes.ts'

export const FAULTS = [
  'request-lost',
  'answer-lost',
  'duplicated',
  'late',
  'delayed',
  'cancelled',
  'killed-before-commit',
  'killed-after-commit',
  'evicted',
  'split',
  'doubled',
  'lost',
  'full',
  'recycled',
  'reorganised',
  'lagging',
  'restored',
] as const

/**
 * What can go wrong at a boundary.
 *
 * - `request-lost` and `answer-lost`: the caller's connection fails; only in the second case was it called.
 * - `late`: the caller's connection fails, and the request arrives all the same, after a retry may have.
 * - `delayed`: it takes so long that others overtake it, while the caller waits.
 * - `duplicated`: it arrives twice.
 * - `cancelled`: the client disconnects, and the router's work for it stops where it is.
 * - `killed-before-commit` and `killed-after-commit`: the object called dies with or without its latest
 *   writes, before any answer.
 * - `evicted`: the object called leaves the memory once it is idle.
 * - `split`: a new instance of the object called takes over, while the old one still runs.
 * - `lost`: an alarm never rings.
 * - `doubled`: an alarm that has succeeded rings again.
 * - `full`: a database, or the disk of the object called, refuses to write.
 * - `reorganised`: the chain replaces its newest blocks.
 * - `lagging`: some of the chain's nodes fall behind.
 * - `restored`: a database goes back to an earlier time.
 * - `recycled`: the isolate loses its module memory, and with it all objects in memory there.
 */
export type Fault = (typeof FAULTS)[number]

/** A fault that has happened: enough to make it happen again. */
export interface Injected {
  crossing: string
  fault: Fault
}

/** How often a kind of fault happens in a history that has it. */
const RATES = [0.01, 0.04, 0.15]
/** The share of histories that have a kind of fault at all boundaries. */
const SPREAD = 0.35
/** The share of boundaries that a history concentrates on, and how often each kind of fault happens there. */
const FOCUS = 0.06
const FOCUS_RATES = [0, 0.1, 0.3]
/** The share of histories without any fault, and of those with a theme. */
const CALM = 0.05
const THEMED = 0.6

/**
 * Decides which faults happen. Each history has its own mixture (swarm testing): some kinds everywhere,
 * more at a few boundaries, and most histories also aim at something.
 */
export class Faults {
  readonly injected: Injected[] = []
  isOn = false
  /** The boundaries at which all calls fail now; null if there is no outage. */
  out: RegExp | null = null
  /** Whether nothing fails but for an outage. */
  isAlone = false
  readonly #random: Random
  readonly #coverage: Coverage
  readonly #only: ReadonlyMap<string, Fault> | null
  readonly theme: Theme | null
  readonly #rates = new Map<string, Map<Fault, number>>()
  readonly #crossings = new Map<string, number>()

  /** @param only the faults to repeat, by crossing; null to choose them */
  constructor(random: Random, coverage: Coverage, only: readonly Injected[] | null) {
    this.#random = random
    this.#coverage = coverage
    this.theme = themeOf(random)
    this.#only = only && new Map(only.map(({ crossing, fault }) => [crossing, fault]))
  }

  /** Returns the name of this crossing of a boundary: the same for the same one of another run. */
  crossing(name: string): string {
    const count = (this.#crossings.get(name) ?? 0) + 1
    this.#crossings.set(name, count)
    return `${name} #${count}`
  }

  /** Returns the fault of one crossing, or null. */
  at(boundary: string, crossing: string, possible: readonly Fault[]): Fault | null {
    this.#coverage.cross(boundary, possible)
    const fault = this.#choose(boundary, crossing, possible)
    if (fault) {
      this.injected.push({ crossing, fault })
      this.#coverage.hit(boundary, fault)
    }
    return fault
  }

  #choose(boundary: string, crossing: string, possible: readonly Fault[]): Fault | null {
    if (this.#only) return this.#only.get(crossing) ?? null
    if (!this.isOn) return null
    if (this.out?.test(boundary)) return 'request-lost'
    if (this.isAlone) return null
    const rates = this.#ratesAt(boundary)
    for (const fault of possible) {
      const rate = rates.get(fault) ?? this.#takeRate(rates, boundary, fault)
      if (rate > 0 && this.#random.chance(`${crossing} ${fault}`, rate)) return fault
    }
    return null
  }

  /** Returns how often this history has each kind of fault at a boundary, as far as that has been asked for. */
  #ratesAt(boundary: string): Map<Fault, number> {
    let rates = this.#rates.get(boundary)
    if (!rates) {
      rates = new Map()
      this.#rates.set(boundary, rates)
    }
    return rates
  }

  #takeRate(rates: Map<Fault, number>, boundary: string, fault: Fault): number {
    const rate = this.#chooseRate(boundary, fault)
    rates.set(fault, rate)
    return rate
  }

  #chooseRate(boundary: string, fault: Fault): number {
    if (this.#random.chance('is calm', CALM)) return 0
    const aimed = this.theme?.rates[boundary]?.[fault]
    if (aimed !== undefined) return aimed
    if (this.#random.chance(`focus ${boundary}`, FOCUS))
      return this.#random.pick(`focus ${boundary} ${fault}`, FOCUS_RATES)
    if (!this.#random.chance(`has ${fault}`, SPREAD)) return 0
    return this.#random.pick(`rate of ${fault}`, RATES)
  }
}

/** Returns what a history aims at; null for some. */
export function themeOf(random: Random): Theme | null {
  return random.chance('has a theme', THEMED) ? random.pick('theme', THEMES) : null
}

/** Errors as the platform reports them. */
const BROKEN = ['Network connection lost.', 'Durable Object reset because its machine failed.']
export const D1_BROKEN = 'D1_ERROR: the database is not reachable (simulated)'
export const D1_FULL = 'D1_ERROR: database or disk is full: SQLITE_FULL (simulated)'
export const R2_BROKEN = 'R2 does not answer (simulated)'
export const DISK_FULL = 'database or disk is full: SQLITE_FULL (simulated)'
export const NET_BROKEN = 'the network is down (simulated)'

/** What the service makes of an answer that the simulation has delayed. */
const TOO_LATE = 'the answer took too long'

/** The messages of faults that the simulation has caused. */
export const INJECTED_MESSAGES = [
  ...BROKEN,
  D1_BROKEN,
  D1_FULL,
  R2_BROKEN,
  DISK_FULL,
  NET_BROKEN,
  TOO_LATE,
]

/** Returns the error of a call whose connection broke. Most, but not all, are marked as retryable. */
export function broken(random: Random, crossing: string): Error {
  const error = new Error(random.pick(`${crossing} error`, BROKEN))
  const retryable = random.chance(`${crossing} retryable`, 0.7)
  return Object.assign(error, { remote: true, ...(retryable && { retryable }) })
}
