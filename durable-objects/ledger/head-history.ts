import { invariant } from '../../src/core/invariant.ts'
import { EMPTY_HEAD, unpackHead, type Head } from '../../src/ledger/head.ts'
import { lastSeqOf, segmentOf } from '../../src/ledger/segment.ts'
import type { Segments } from './segments.ts'

/** What the journal amounted to from a time on, in unix milliseconds; null before the first entry. */
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

/** What a journal amounted to at earlier times. Limits ask at every stake, so the latest answers stay in memory. */
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
   * Returns the head at a time, with the entries of that millisecond.
   * @throws SegmentArchived if it is neither here nor in memory
   */
  headBy(unixMs: number): Head {
    const known = this.#stretches.find(
      ({ steps, until }) => (steps[0]?.from ?? until) <= unixMs && unixMs < until,
    )
    const { steps } = known ?? this.#find(unixMs)
    const step = steps.findLast(({ from }) => from <= unixMs)
    invariant(step, 'a stretch begins at or before a time in it')
    return step.head ? unpackHead(step.head) : EMPTY_HEAD
  }

  #find(unixMs: number): Stretch {
    const first = this.#segments.firstSeq(({ at }) => at > unixMs)
    const segment = segmentOf(first)
    const isArchived = segment < this.#segments.here.first
    const next = isArchived ? Math.min(first + MAX_STEPS - 1, lastSeqOf(segment)) : first
    const steps: Step[] = []
    for (let seq = first - 1; seq < next; seq++) {
      const end = this.#segments.endAt(seq)
      steps.push({ from: end?.at ?? -Infinity, head: end?.head ?? null })
    }
    const after = this.#segments.endAt(next)
    invariant(after, 'an entry follows')
    const found = { steps, until: after.at }
    this.#stretches = [found, ...this.#stretches].slice(0, MAX_STRETCHES)
    return found
  }
}
