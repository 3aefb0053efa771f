import type { Disk } from './disk.ts'
import type { Fault } from './faults.ts'
import type { Outcome } from './instance.ts'
import type { Place } from './objects.ts'

/** An alarm rings up to this long after its time. In milliseconds. */
const JITTER_MS = 20
/** The longest that a late alarm takes. */
const LATE_MS = 60_000
/** The first retry of a failed alarm follows after this long; each later one after twice as long, up to the longest. */
const RETRY_MS = 2_000
const LONGEST_RETRY_MS = 1_024_000
/** How much longer a retry may take. */
const RETRY_JITTER = 0.25
/** An alarm is dropped when it fails after it was retried so often. */
const MAX_RETRIES = 6

/** The objects that the cron trigger visits, so that they do without their alarm. */
const DISPENSABLE: readonly string[] = ['CrashRound', 'CrashTable']

const POSSIBLE: readonly Fault[] = [
  'request-lost',
  'late',
  'doubled',
  'killed-before-commit',
  'killed-after-commit',
  'evicted',
  'split',
  'full',
]
const POSSIBLE_AND_LOST = [...POSSIBLE, 'lost' as const]

/** How often the platform has tried an alarm again. */
interface Retries {
  /** After failures of the handler or a full disk, of which it tolerates a few. */
  counted: number
  /** How often the pause was doubled. It starts short again with the first failure that counts. */
  doubled: number
  wasCounted: boolean
}

const NONE: Retries = { counted: 0, doubled: 0, wasCounted: false }

/**
 * The platform's alarms of one object: at most one at a time, at least once, stored with the object's
 * other writes. One whose handler failed rings again, up to six times; one that did not reach its object
 * or whose object died, until it has (as in `alarm-scheduler.c++` of workerd).
 */
export class AlarmManager {
  readonly #place: Place
  #confirmed: number | null = null
  /** A change that is not confirmed yet. */
  #changed: { at: number | null } | null = null
  /** Which confirmed alarm this is, so that the event of a replaced one does nothing. */
  #version = 0
  #isRinging = false

  constructor(place: Place) {
    this.#place = place
  }

  /** Returns the time of the alarm as the object sees it: null while its handler runs. */
  get(disk: Disk): number | null {
    if (disk !== this.#place.disk) return null
    if (this.#changed) return this.#changed.at
    return this.#isRinging ? null : this.#confirmed
  }

  /** Returns when the alarm will ring in true time, or null. */
  get ringsAt(): number | null {
    if (this.#place.world.twin !== null) return null
    return this.#confirmed === null ? null : this.#confirmed - this.#place.isolate.skewMs
  }

  /** Sets or deletes the alarm, with the object's other writes. */
  set(disk: Disk, at: number | null): void {
    disk.touch()
    // An old instance's writes are never confirmed.
    if (disk !== this.#place.disk) return
    this.#changed = { at }
  }

  /** The object's writes are confirmed. */
  confirm(): void {
    if (!this.#changed) return
    this.#confirmed = this.#changed.at
    this.#changed = null
    this.#version++
    if (!this.#isRinging) this.#plan(NONE)
  }

  /** The object's unconfirmed writes are lost, and so is a running handler. */
  forget(): void {
    this.#changed = null
  }

  #plan(retries: Retries, delayMs = 0): void {
    if (this.#confirmed === null) return
    const { world, path, isolate } = this.#place
    const { scheduler, random, faults, transitions } = world
    const version = this.#version
    const dueMs = Math.max(0, this.#confirmed - isolate.skewMs - scheduler.now, delayMs)
    const isSecret = world.twin !== null && this.#place.className === 'CrashRound'
    if (!isSecret) transitions.plan(Math.round(scheduler.now + dueMs))
    // How often a round sets its alarm depends on its secrets. Twins must meet the same faults all the same.
    const crossing = isSecret
      ? `alarm>${path} @${Math.round(scheduler.now + dueMs)}`
      : faults.crossing(`alarm>${path}`)
    const jitterMs = random.between(`${crossing} jitter`, 0, JITTER_MS)
    scheduler.after(dueMs + jitterMs, `alarm of ${path}`, null, () => {
      if (version === this.#version && !this.#isRinging) this.#arrive(crossing, retries)
    })
  }

  /** The platform tries to deliver the alarm. */
  #arrive(crossing: string, retries: Retries): void {
    const { world, className, path } = this.#place
    const possible = DISPENSABLE.includes(className) ? POSSIBLE_AND_LOST : POSSIBLE
    const fault = world.faults.at(`alarm>${className}`, crossing, possible)
    if (fault === 'late') {
      const lateMs = world.random.between(`${crossing} late`, 0, LATE_MS)
      world.tell(() => `the alarm of ${path} is ${lateMs} ms late`)
      const version = this.#version
      world.scheduler.after(lateMs, `late alarm of ${path}`, null, () => {
        if (version === this.#version && !this.#isRinging) this.#ring(null, retries)
      })
    } else if (fault === 'lost') {
      world.tell(() => `the alarm of ${path} is lost`)
      this.#confirmed = null
    } else if (fault === 'request-lost') {
      world.tell(() => `the alarm of ${path} does not reach it`)
      this.#retry(retries, false)
    } else this.#ring(fault, retries)
  }

  #ring(fault: Fault | null, retries: Retries): void {
    const { world, path } = this.#place
    const version = this.#version
    this.#isRinging = true
    world.scheduler.after(0, `ring ${path}`, null, () => {
      world.tell(() => `the alarm of ${path} rings`)
      const instance = this.#place.start()
      world.scheduler.current = instance
      instance.run({
        method: 'alarm',
        args: [{ retryCount: retries.counted, isRetry: retries.counted > 0 }],
        fault,
        end: (outcome) => {
          if (outcome.kind === 'failed') world.noteFault(path, outcome.error)
          this.#ended(version, outcome.kind, fault, retries)
        },
      })
    })
  }

  /** The handler has ended. Without success it runs again, unless it has set another alarm. */
  #ended(version: number, kind: Outcome['kind'], fault: Fault | null, retries: Retries): void {
    this.#isRinging = false
    if (version !== this.#version) return this.#plan(NONE)
    if (kind !== 'answered') return this.#retry(retries, kind === 'failed')
    if (fault === 'doubled') return this.#ring(null, retries)
    if (!this.#changed) this.#confirmed = null
  }

  #retry({ counted, doubled, wasCounted }: Retries, isCounted: boolean): void {
    if (counted >= MAX_RETRIES) {
      this.#confirmed = null
      return
    }
    const doubledNow = isCounted && !wasCounted ? 0 : doubled
    const pauseMs = Math.min(RETRY_MS * 2 ** doubledNow, LONGEST_RETRY_MS)
    const next = { counted: counted + Number(isCounted), doubled: doubledNow + 1 }
    const { random, scheduler } = this.#place.world
    const name = `${this.#place.path} tries again at ${scheduler.now}`
    const jitterMs = random.between(name, 0, Math.floor(RETRY_JITTER * pauseMs))
    this.#plan({ ...next, wasCounted: isCounted }, pauseMs + jitterMs)
  }
}
