import { copyOf, textOf } from './copy.ts'
import { broken, type Fault } from './faults.ts'
import type { Outcome } from './instance.ts'
import type { Place } from './objects.ts'
import type { World } from './world.ts'

const POSSIBLE: readonly Fault[] = [
  'request-lost',
  'answer-lost',
  'late',
  'delayed',
  'duplicated',
  'killed-before-commit',
  'killed-after-commit',
  'evicted',
  'split',
  'full',
]
const POSSIBLE_ONCE = POSSIBLE.filter((fault) => fault !== 'duplicated')

/** These faults happen to the called instance rather than to the connection. */
const OF_INSTANCE: readonly (Fault | null)[] = [
  'killed-before-commit',
  'killed-after-commit',
  'evicted',
  'split',
  'full',
]

/** A request that takes longer than this may do so because its object moves. */
export const MOVED_AFTER_MS = 20
/** The share of those that do. */
const MOVED = 0.3

/**
 * A call that is carried out twice on purpose would be two plays, or two sockets. Only its caller knows, and never
 * repeats it.
 */
function isRepeatable(method: string, [request]: unknown[]): boolean {
  if (method === 'fetch') return false
  return method !== 'play' || (request as { nonce: number | null }).nonce !== null
}

/** Calls a method of an object, from the code that is running. */
export function callObject(
  world: World,
  to: Place,
  method: string,
  args: unknown[],
): Promise<unknown> {
  const { scheduler, random, faults } = world
  const from = scheduler.current
  const boundary = `${from?.kind ?? 'world'}>${to.className}.${method}`
  const crossing = faults.crossing(`${from?.name ?? 'world'}>${to.path}.${method}`)
  const caller = (from?.name ?? 'world').replace(/\(\d+\)$/, '')
  const copied = copyOf(args)
  const take = (leg: string) => world.latency(`${crossing} ${leg}`)
  return new Promise((resolve, reject) => {
    const settle = (run: () => void, delayMs = take('back')) =>
      scheduler.after(delayMs, `answer to ${crossing}`, from, run)
    const end = (outcome: Outcome) => {
      if (outcome.kind === 'answered') settle(() => resolve(outcome.value))
      else if (outcome.kind === 'failed') settle(() => reject(remoteError(outcome.error)))
      else settle(() => reject(broken(random, crossing)))
    }
    let isTwice = false
    const deliver = (delayMs: number, fault: Fault | null, done: (outcome: Outcome) => void) =>
      scheduler.after(delayMs, crossing, null, () => {
        const isLate = faults.isOn && fault === null && delayMs > MOVED_AFTER_MS
        const isMoved = isLate && random.chance(`${crossing} moved`, MOVED)
        if (isMoved) to.kill()
        const instance = to.start()
        scheduler.current = instance
        world.tell(() => `${crossing} arrives${isMoved ? ' at an object that has moved' : ''}`)
        to.letFollow(caller)
        const received = isTwice ? copyOf(copied) : copied
        instance.run({ method, args: received, fault, end: copying(leaving(done)) })
      })
    const leaving = (done: (outcome: Outcome) => void) => (outcome: Outcome) => {
      if (to.className === 'CrashRound') world.leave(() => `${crossing}: ${textOf(outcome)}`)
      done(outcome)
    }
    const send = () => {
      if (from?.kind === 'CrashRound') world.leave(() => `${crossing} is sent: ${textOf(copied)}`)
      const possible = isRepeatable(method, copied) ? POSSIBLE : POSSIBLE_ONCE
      const fault = faults.at(boundary, crossing, possible)
      if (fault) world.tell(() => `${crossing}: ${fault}`)
      isTwice = fault === 'duplicated'
      const there = take('there')
      const late = () => world.lateness(crossing, to.alarms.ringsAt)
      // At some time, or right after the caller's next request to the same object.
      const arriveLate = () => {
        if (random.chance(`${crossing} is overtaken`, 0.5))
          to.keepBack(caller, () => deliver(MOVED_AFTER_MS + take('late'), null, () => {}))
        else deliver(late(), null, () => {})
      }
      if (fault === 'request-lost') end({ kind: 'broken' })
      else if (fault === 'late') {
        end({ kind: 'broken' })
        arriveLate()
      } else if (fault === 'delayed') deliver(late(), null, end)
      else if (fault === 'answer-lost') deliver(there, null, () => end({ kind: 'broken' }))
      else deliver(there, OF_INSTANCE.includes(fault) ? fault : null, end)
      if (fault === 'duplicated') arriveLate()
    }
    if (from) from.whenConfirmed(send)
    else send()
  })
}

/** Copies what leaves an object when it leaves. A value that cannot be copied is an error of the call. */
function copying(end: (outcome: Outcome) => void): (outcome: Outcome) => void {
  return (outcome) => {
    if (outcome.kind !== 'answered') return end(outcome)
    try {
      end({ kind: 'answered', value: copyOf(outcome.value) })
    } catch (error) {
      end({ kind: 'failed', error })
    }
  }
}

/** Returns an error as it reaches another object: with its message and its own fields, of no class. */
function remoteError(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  return Object.assign(new Error(error.message), Object.fromEntries(Object.entries(error)), {
    remote: true,
  })
}
