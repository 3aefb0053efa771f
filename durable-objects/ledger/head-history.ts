import { invariant } from '../../src/core/invariant.ts'
import { EMPTY_HEAD, unpackHead, type Head } from '../../src/ledger/head.ts'
import { lastSeqOf, type SegmentEnd } from '../../src/ledger/segment.ts'
import type { Segments } from './segments.ts'

/** The journal's head from a time on, in unix milliseconds; null before the first entry. */
interface Step {
  from: number
  head: Uint8Array | null
}

/** Consecutive steps, and when the one after them begins. */
interface Stretch {
  steps: Step[]
  until: number
}

/** The most stretches in memory: those of a player's windows, and of the session's start. */
const MAX_STRETCHES = 4

/**
 * The most steps of a stretch from the archive. The next stakes look at the entries that follow, and without these each
 * would fetch their segment again while others take its place in memory.
 */
const MAX_STEPS = 128

/** A journal's heads at earlier times. Limits ask at every stake, so the latest answers stay in memory. */
export class HeadHistory {
  readonly #segments: Segments
  #stretches: Stretch[] = []

  constructor(segments: Segments) {
    this.#segments = segments
  }

  forget(): void {
    this.#stretches = []
  }

  /**
   * Returns the head at a time before the latest entry, with the entries of that millisecond.
   * @param latest the number of the latest entry
   * @throws SegmentArchived if it is neither here nor in memory
   */
  headBy(unixMs: number, latest: number): Head {
    this.look([unixMs], latest)
    const step = this.#stretchAt(unixMs)?.steps.findLast(({ from }) => from <= unixMs)
    invariant(step, 'a stretch begins at or before a time in it')
    return step.head ? unpackHead(step.head) : EMPTY_HEAD
  }

  /** Reads the heads at some times into memory, in one query for all that are in the same segment here. */
  look(times: readonly number[], latest: number): void {
    let unknown = times.filter((time) => !this.#stretchAt(time))
    while (unknown[0] !== undefined) {
      const segment = this.#segmentAt(unknown[0])
      const isHere = segment >= this.#segments.here.first
      const some = isHere ? unknown.filter(this.#isIn(segment)) : [unknown[0]]
      const found = isHere
        ? this.#segments.around(segment, some, latest).map(({ last, next }) => ({
            steps: [stepOf(last)],
            until: next.at,
          }))
        : [this.#findArchived(unknown[0], segment, latest)]
      this.#stretches = [...found, ...this.#stretches].slice(0, MAX_STRETCHES)
      unknown = unknown.filter((time) => !some.includes(time))
    }
    this.#keepInFront(times)
  }

  /** Has the stretches of some times stay longest. */
  #keepInFront(times: readonly number[]): void {
    const used = times.flatMap((time) => this.#stretchAt(time) ?? [])
    this.#stretches = [...new Set([...used, ...this.#stretches])]
  }

  #stretchAt(unixMs: number): Stretch | undefined {
    return this.#stretches.find(
      ({ steps, until }) => (steps[0]?.from ?? until) <= unixMs && unixMs < until,
    )
  }

  #segmentAt(unixMs: number): number {
    return this.#segments.segmentWith(({ at }) => at > unixMs)
  }

  /** Returns a test whether times before the latest entry are in a segment that is here. */
  #isIn(segment: number): (unixMs: number) => boolean {
    const atEnd = (number: number) => this.#segments.endAt(lastSeqOf(number))?.at ?? -Infinity
    const isLatest = segment === this.#segments.here.last
    const [from, until] = [atEnd(segment - 1), isLatest ? Infinity : atEnd(segment)]
    return (unixMs) => from <= unixMs && unixMs < until
  }

  #findArchived(unixMs: number, segment: number, latest: number): Stretch {
    const first = this.#segments.firstSeq(({ at }) => at > unixMs, latest)
    const next = Math.min(first + MAX_STEPS - 1, lastSeqOf(segment))
    const steps: Step[] = []
    for (let seq = first - 1; seq < next; seq++) steps.push(stepOf(this.#segments.endAt(seq)))
    const after = this.#segments.endAt(next)
    invariant(after, 'an entry follows')
    return { steps, until: after.at }
  }
}

function stepOf(end: SegmentEnd | null): Step {
  return { from: end?.at ?? -Infinity, head: end?.head ?? null }
}
