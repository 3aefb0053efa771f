import { CrashRoundStore } from '../../durable-objects/crash-round/store.ts'
import { hasTable, isBlank, schemaOf } from '../../durable-objects/kernel/migrations.ts'
import { Segments } from '../../durable-objects/ledger/segments.ts'
import { unpackHead } from '../../src/ledger/head.ts'
import service, {
  CrashRound as ServiceRound,
  Ledger as ServiceLedger,
  LootboxDay as ServiceDay,
} from '../../src/worker.ts'
import type { AuditedBet, AuditedDay, AuditedLedger, AuditedRound } from './audit.ts'

// The service. Its objects also show their rows to a test that knows the path.

export * from '../../src/worker.ts'

export class Ledger extends ServiceLedger {
  async audited(name: string | null): Promise<AuditedLedger | null> {
    if (isBlank(this.ctx.storage)) return null
    const audit = await this.verify()
    const segments = new Segments(this.ctx.storage.sql)
    const { first, last } = segments.here
    const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index)
    const entries = numbers.flatMap((number) => [...segments.entries(number, 1)])
    const latest = entries.at(-1)
    return {
      name,
      alarmAt: await this.ctx.storage.getAlarm(),
      problem: audit.ok ? null : audit.problem,
      balances: audit.ok ? audit.balances : null,
      nextSeed: latest ? (unpackHead(latest.head).nextPlay?.seed ?? null) : null,
      entries: entries.map(({ seq, operationId, request, postings, result, at }) => ({
        seq,
        operationId,
        request,
        postings,
        result,
        at,
      })),
    }
  }
}

export class CrashRound extends ServiceRound {
  async audited(): Promise<AuditedRound | null> {
    const { storage } = this.ctx
    const schema = schemaOf(storage)
    if (!schema.has('round')) return null
    const { record } = new CrashRoundStore(storage.sql).load(schema)
    if (!record) return null
    const { plan, seed, pepper, status, endedAt } = record
    const bets = schema.has('bets')
      ? storage.sql
          .exec<AuditedBet>(
            'SELECT wallet, bet_id AS betId, token, amount_wei AS amountWei, cashout FROM bets',
          )
          .toArray()
      : []
    return {
      roundId: plan.roundId,
      seed,
      pepper,
      status,
      endedAt,
      bets: bets.map((bet) => ({
        ...bet,
        ledgerId: this.env.LEDGER.idFromName(bet.wallet).toString(),
      })),
    }
  }
}

export class LootboxDay extends ServiceDay {
  async audited(): Promise<AuditedDay | null> {
    const { storage } = this.ctx
    if (!hasTable(storage, 'day')) return null
    const [row] = storage.sql.exec<{ seed: string }>('SELECT seed FROM day').toArray()
    return row ? { seed: row.seed } : null
  }
}

interface Question {
  binding: 'LEDGER' | 'CRASH_ROUND' | 'LOOTBOX_DAY'
  id: string
  /** An object that has a name needs it: the ids of those that are known are found by their names. */
  names: string[]
}

interface Audited {
  audited(name: string | null): Promise<unknown>
}

/** Nobody comes upon this path by chance: it is drawn for each run. */
type AuditedEnv = Env & { AUDIT_PATH: string }

export default {
  async fetch(request: Request, env: AuditedEnv, context: ExecutionContext): Promise<Response> {
    if (new URL(request.url).pathname !== env.AUDIT_PATH) {
      return service.fetch(request, env, context)
    }
    const { binding, id, names } = await request.json<Question>()
    const namespace = env[binding] as unknown as DurableObjectNamespace
    const name = names.find((each) => namespace.idFromName(each).toString() === id) ?? null
    const stub =
      name === null ? namespace.get(namespace.idFromString(id)) : namespace.getByName(name)
    return Response.json(await (stub as unknown as Audited).audited(name))
  },
}
