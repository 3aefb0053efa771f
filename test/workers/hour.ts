import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import { crashStream, crashTable } from '../../src/calls/objects.ts'
import { HOUR_MS } from '../../src/core/utc-day.ts'
import { sweep } from '../../src/sweep.ts'
import {
  Control,
  CrashRound,
  CrashStream,
  CrashTable,
  Daybook,
  Exporter,
  Reprojection,
  TransparencyLog,
} from '../../src/worker.ts'
import { count, countRows, type Counts } from './row-counts.ts'
import { now, setTime } from './support.ts'

/** The objects of an idle service, by the name of their class. */
const CLASSES = {
  Control,
  CrashRound,
  CrashTable,
  CrashStream,
  Reprojection,
  TransparencyLog,
  Exporter,
  Daybook,
}
const NAMESPACES = {
  Control: env.CONTROL,
  CrashRound: env.CRASH_ROUND,
  CrashTable: env.CRASH_TABLE,
  CrashStream: env.CRASH_STREAM,
  Reprojection: env.REPROJECTION,
  TransparencyLog: env.TRANSPARENCY_LOG,
  Exporter: env.EXPORTER,
  Daybook: env.DAYBOOK,
}
type ClassName = keyof typeof CLASSES

const CRON_MS = 60_000
/** The platform evicts an object from memory when it has been idle for this long. */
const ASLEEP_AFTER_MS = 10_000

/** What the platform bills, by object and method, or by table. */
export interface Costs {
  calls: Counts
  alarms: Counts
  rows: Counts
}

/** A caller from outside, such as a page that polls. Returns the time until its next call. */
export type Visitor = () => Promise<number>

/**
 * Lets time pass, with every alarm, timer and run of the cron trigger at its time, and counts what that
 * costs. Everything has finished before time passes on, so the figures are exact.
 */
export async function passHour(visitor?: Visitor, lengthMs = HOUR_MS): Promise<Costs> {
  const { rows } = await countRows()
  const objects = watchObjects()
  const timers = timersOfClock()
  const end = now() + lengthMs
  let cronAt = now() + CRON_MS
  let visitAt = visitor ? now() : Infinity
  for (;;) {
    const alarms = await objects.alarms()
    const at = Math.min(cronAt, visitAt, timers.nextAt(), ...alarms.map(({ dueAt }) => dueAt))
    if (at > end) break
    if (at - now() > ASLEEP_AFTER_MS) await sleep()
    setTime(Math.max(now(), at))
    const work: Promise<unknown>[] = alarms
      .filter(({ dueAt }) => dueAt <= now())
      .map(({ stub }) => runDurableObjectAlarm(stub))
    if (cronAt <= now()) {
      cronAt += CRON_MS
      work.push(sweep(env))
    }
    if (visitor && visitAt <= now()) {
      const visit = visitor().then((pauseMs) => (visitAt = now() + pauseMs))
      work.push(visit)
    }
    await Promise.all(work)
    for (let quiet = 0; quiet < 3; quiet++) {
      if (objects.isBusy() || timers.nextAt() <= now()) quiet = 0
      await scheduler.wait(1)
    }
  }
  vi.restoreAllMocks()
  return { calls: objects.calls, alarms: objects.runs, rows }
}

/** The table and the stream lose their memory. A followed round waits for its next stage, so it stays awake. */
async function sleep(): Promise<void> {
  for (const stub of [crashTable(env), crashStream(env)]) await evictDurableObject(stub)
}

/** Counts calls and alarms, and remembers which objects were called. */
function watchObjects() {
  const calls: Counts = {}
  const runs: Counts = {}
  const known = new Set(['CrashTable main', 'CrashStream main'])
  let underWay = 0
  for (const [name, { prototype }] of Object.entries(CLASSES)) {
    for (const method of Object.getOwnPropertyNames(prototype)) {
      if (method === 'constructor') continue
      const call = Reflect.get(prototype, method) as (...args: unknown[]) => Promise<unknown>
      const counted = async function (this: { ctx: DurableObjectState }, ...args: unknown[]) {
        known.add(`${name} ${this.ctx.id.name}`)
        if (method === 'alarm') count(runs, name)
        else count(calls, `${name}.${method}`)
        // A round's alarm does its work by this method too, which is no call.
        if (name === 'CrashRound' && method === 'alarm') count(calls, 'CrashRound.sweep', -1)
        underWay++
        return call.apply(this, args).finally(() => underWay--)
      }
      vi.spyOn(prototype as unknown as Record<string, () => unknown>, method).mockImplementation(
        counted,
      )
    }
  }
  /** Returns the objects with an alarm. Rounds that have none left are forgotten. */
  async function alarms() {
    const newest = [...known].slice(-8)
    const all = [...known].map(async (key) => {
      const [name = '', id = ''] = key.split(' ')
      const stub: DurableObjectStub = NAMESPACES[name as ClassName].getByName(id)
      const alarm = await runInDurableObject(stub, (_: unknown, { storage }: DurableObjectState) =>
        storage.getAlarm(),
      )
      if (alarm === null && name === 'CrashRound' && !newest.includes(key)) known.delete(key)
      return { stub, dueAt: alarm ?? Infinity }
    })
    return Promise.all(all)
  }
  return { calls, runs, alarms, isBusy: () => underWay > 0 }
}

/** Makes timers follow the tests' clock. Each still runs in the object that has set it. */
function timersOfClock() {
  const set = globalThis.setTimeout
  const waiting = new Map<number, number>()
  let last = 0
  const follow = (run: () => void, ms = 0) => {
    const id = ++last
    const dueAt = Date.now() + ms
    waiting.set(id, dueAt)
    const look = () => {
      if (!waiting.has(id)) return
      if (Date.now() < dueAt) return void set(look, 1)
      waiting.delete(id)
      run()
    }
    set(look, 0)
    return id
  }
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(follow as never)
  vi.spyOn(globalThis, 'clearTimeout').mockImplementation(((id?: number) => {
    if (id !== undefined) waiting.delete(id)
  }) as never)
  return { nextAt: () => Math.min(Infinity, ...waiting.values()) }
}
