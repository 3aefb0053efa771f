import * as service from '../../src/worker.ts'
import { driveDate } from './driven-date.ts'

// The service. A rehearsal drives its clock, with the alarms of its objects, and cuts it off from the platform's
// databases and buckets.

/** What a rehearsal asks of the path that it draws for a run. */
export type DriverOrder =
  /** Lets time pass. Alarms ring when they are due or, after a leap, once at its end. */
  | { order: 'pass'; ms: number; isLeap: boolean }
  /** Runs the cron trigger. */
  | { order: 'cron' }
  /** Has exactly these databases and buckets answer nothing. */
  | { order: 'cut'; bindings: string[] }

type DrivenEnv = Env & { DRIVER_PATH: string; AHEAD_MS: number }

let aheadMs = 0
driveDate(() => aheadMs)

let cut: readonly string[] = []
const CUTTABLE = ['DB', 'HISTORY', 'ARCHIVE', 'EXPORTS']

interface PendingAlarm {
  dueAt: number
  retries: number
  ring: () => Promise<void>
}

/** By the object's binding and id. */
const alarms = new Map<string, PendingAlarm>()

const RETRY_MS = 2_000
/** An object that never rests would keep a rehearsal forever. */
const MAX_RINGS = 5_000

interface Driven {
  ring(): Promise<void>
}

interface AlarmHandler {
  alarm?(info: AlarmInvocationInfo): Promise<void>
}

type ObjectClass = new (ctx: DurableObjectState, env: Env) => object

const envs = new WeakMap<object, Env>()

/** Returns an environment whose databases and buckets can be cut off. */
function cuttable(env: Env): Env {
  const known = envs.get(env)
  if (known) return known
  const bindings = CUTTABLE.map((name) => [name, binding(name, Reflect.get(env, name) as object)])
  const made = { ...env, ...Object.fromEntries(bindings) } as Env
  envs.set(env, made)
  return made
}

function binding(name: string, real: object): object {
  return new Proxy(real, {
    get(target, method) {
      if (cut.includes(name)) {
        return () => {
          throw new Error(`${name} does not answer`)
        }
      }
      const value: unknown = Reflect.get(target, method)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

/** Returns a class of objects whose alarms ring by the driven clock. */
function driven<Base extends ObjectClass>(name: string, Real: Base): Base {
  const Class = Real as ObjectClass as new (...given: unknown[]) => AlarmHandler
  const Made = class extends Class {
    readonly #ctx: DurableObjectState
    readonly #key: string

    constructor(ctx: DurableObjectState, env: DrivenEnv) {
      aheadMs = Math.max(aheadMs, env.AHEAD_MS)
      const key = `${name} ${ctx.id.toString()}`
      driveAlarms(ctx, key, () => stubOf(env, name, ctx.id))
      super(ctx, cuttable(env))
      this.#ctx = ctx
      this.#key = key
    }

    override async alarm(info: AlarmInvocationInfo): Promise<void> {
      const retries = alarms.get(this.#key)?.retries ?? info.retryCount
      alarms.delete(this.#key)
      try {
        await super.alarm?.({ ...info, isRetry: retries > 0, retryCount: retries })
      } catch {
        // The platform tries again after a while by the real clock.
        await this.#ctx.storage.setAlarm(Date.now() + RETRY_MS * 2 ** retries)
        const retry = alarms.get(this.#key)
        if (retry) retry.retries = retries + 1
      }
    }

    async ring(): Promise<void> {
      await this.#ctx.storage.deleteAlarm()
      await this.alarm({ isRetry: false, retryCount: 0 } as AlarmInvocationInfo)
    }
  }
  return Made as unknown as Base
}

function stubOf(env: Env, name: string, id: DurableObjectId): Driven {
  const namespace = Reflect.get(env, name) as DurableObjectNamespace
  const stub = id.name === undefined ? namespace.get(id) : namespace.getByName(id.name)
  return stub as unknown as Driven
}

function driveAlarms({ storage }: DurableObjectState, key: string, stub: () => Driven) {
  const setReal = storage.setAlarm.bind(storage)
  const getReal = storage.getAlarm.bind(storage)
  const note = (dueAt: number) => alarms.set(key, { dueAt, retries: 0, ring: () => stub().ring() })
  Object.defineProperties(storage, {
    setAlarm: {
      value: (at: number) => {
        note(at)
        return setReal(at - aheadMs)
      },
    },
    getAlarm: {
      value: async () => {
        const real = await getReal()
        if (real !== null && !alarms.has(key)) note(real + aheadMs)
        return alarms.get(key)?.dueAt ?? null
      },
    },
  })
}

async function pass(ms: number, isLeap: boolean): Promise<void> {
  const until = Date.now() + ms
  if (isLeap) aheadMs += ms
  const rung = new Set<string>()
  for (let rings = 0; rings < MAX_RINGS; rings++) {
    const due = [...alarms]
      .filter(([key, { dueAt }]) => dueAt <= until && !(isLeap && rung.has(key)))
      .toSorted(([, one], [, other]) => one.dueAt - other.dueAt)
    const [next] = due
    if (!next) break
    const [key, { dueAt, ring }] = next
    aheadMs += Math.max(0, dueAt - Date.now())
    rung.add(key)
    await ring()
  }
  aheadMs += Math.max(0, until - Date.now())
}

export const Control = driven('CONTROL', service.Control)
export const CrashRound = driven('CRASH_ROUND', service.CrashRound)
export const CrashStream = driven('CRASH_STREAM', service.CrashStream)
export const CrashTable = driven('CRASH_TABLE', service.CrashTable)
export const Daybook = driven('DAYBOOK', service.Daybook)
export const Exporter = driven('EXPORTER', service.Exporter)
export const Health = driven('HEALTH', service.Health)
export const Ledger = driven('LEDGER', service.Ledger)
export const LootboxDay = driven('LOOTBOX_DAY', service.LootboxDay)
export const PartnerIds = driven('PARTNER_IDS', service.PartnerIds)
export const PartnerLimit = driven('PARTNER_LIMIT', service.PartnerLimit)
export const Payment = driven('PAYMENT', service.Payment)
export const Relayer = driven('RELAYER', service.Relayer)
export const Reprojection = driven('REPROJECTION', service.Reprojection)
export const SharedPost = driven('SHARED_POST', service.SharedPost)
export const Solvency = driven('SOLVENCY', service.Solvency)
export const TransparencyLog = driven('TRANSPARENCY_LOG', service.TransparencyLog)
export const Treasury = driven('TREASURY', service.Treasury)
export const VaultWatch = driven('VAULT_WATCH', service.VaultWatch)

export default {
  async fetch(request: Request, env: DrivenEnv, context: ExecutionContext): Promise<Response> {
    aheadMs = Math.max(aheadMs, env.AHEAD_MS)
    if (new URL(request.url).pathname !== env.DRIVER_PATH) {
      return service.default.fetch(request, cuttable(env), context)
    }
    const asked = await request.json<DriverOrder>()
    if (asked.order === 'pass') await pass(asked.ms, asked.isLeap)
    if (asked.order === 'cut') cut = asked.bindings
    if (asked.order === 'cron') await service.default.scheduled(undefined as never, cuttable(env))
    return Response.json({ aheadMs })
  },
}
