import { DurableObject } from 'cloudflare:workers'
import { loadConfig } from '../src/config/load.ts'
import { listedWallets } from '../src/history/positions.ts'
import { HOUSE } from '../src/ledger/accounts.ts'
import {
  crashRound,
  crashTable,
  exporter,
  ledger,
  openingOwner,
  partnerIdsShard,
  relayer,
  vaultWatch,
  retried,
} from '../src/objects.ts'
import { SHARDS } from '../src/wallet-bridge/ids.ts'
import { Kernel } from './kernel/kernel.ts'
import type { OutboxMessage } from './kernel/outbox.ts'
import { ownerOf } from './kernel/owner.ts'

/** `job` has one row: the job in progress or the last one. `wallets` holds those it has asked already. */
const TABLES = `
  CREATE TABLE job (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    job_no INTEGER NOT NULL,
    scope TEXT NOT NULL,
    stage INTEGER NOT NULL,
    after TEXT NOT NULL,
    asked INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    finished_at INTEGER
  ) STRICT;
  CREATE TABLE wallets (wallet TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
`

/** What is sent again: the positions behind the bankroll, or everything that D1 shows. */
type Scope = 'positions' | 'everything'

/** How much the clocks of two objects may differ, at most. */
const CLOCKS_DIFFER_MS = 5_000

/** The lists whose members are asked, in this order. */
const STAGES = {
  positions: ['listed', 'depositors', 'partners'],
  everything: ['listed', 'depositors', 'partners', 'rounds', 'openings'],
} as const

type Stage = (typeof STAGES)['everything'][number]

/** The state of a job. Times in unix milliseconds; null before the first job and before its end. */
export interface Progress {
  scope: Scope | null
  /** The list now being read; null once all have been read. */
  stage: Stage | null
  /** The number of messages to objects: all so far, and those without an answer. */
  asked: number
  waiting: number
  startedAt: number | null
  finishedAt: number | null
}

type JobRow = {
  job_no: number
  scope: Scope
  stage: number
  after: string
  asked: number
  started_at: number
  finished_at: number | null
}

/** The number of list members asked together. */
const PAGE = 50
/** While this many objects have not answered, no more are asked. */
const MAX_WAITING = 1_000

/** A page of a list and the start of the next page; null after the last. */
interface Page {
  messages: OutboxMessage[]
  next: string | null
}

/**
 * Rebuilds D1 from the objects that own its data by asking each to send it again. Lists are read page by
 * page, one page for each alarm. Objects that don't answer are asked again without holding up the rest.
 */
export class Reprojection extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql
  readonly #kernel = new Kernel(this.ctx, ownerOf('Reprojection', this.ctx, this.env))

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#kernel.assemble([
      {
        migration: { id: 'reprojection', sql: TABLES },
        nextDueAt: (now) => (this.#mayRead(now) ? now : null),
        deliver: {
          position: async (wallet) => ledger(env, wallet).sendPosition(),
          plays: async (wallet) => ledger(env, wallet).sendPlays(),
          rounds: async (range) => {
            const [first = 0, last = 0] = range.split(':').map(Number)
            await crashTable(this.env).sendToHistory(first, last)
          },
          round: async (id) => crashRound(env, Number(id)).sendToHistory(),
          'exported-round': async (id) => crashRound(env, Number(id)).sendToHistory(false),
          opening: async (name) => openingOwner(env, name).sendToHistory(),
        },
      },
      this.#kernel.outbox,
    ])
    this.#kernel.open()
  }

  /**
   * Starts a job unless one that covers it is under way. Safe to repeat.
   * @param orderedAt when operators ordered it, in unix milliseconds; null if they did not. Only a job that began later covers
   * their order: D1 may have been restored while an earlier one ran.
   */
  async start(wanted: Scope, orderedAt: number | null = null): Promise<Progress> {
    const job = this.#job()
    const isUnderWay = job?.finished_at === null
    const scope = isUnderWay && job.scope === 'everything' ? job.scope : wanted
    const isRepeated = job !== null && job.started_at === orderedAt
    const isLater = orderedAt === null || (job?.started_at ?? 0) > orderedAt + CLOCKS_DIFFER_MS
    const isCovered = isRepeated || (isUnderWay && isLater && job.scope === scope)
    if (!isCovered) {
      const now = this.#kernel.clock.now()
      this.#kernel.transact(() => {
        this.#sql.exec('DELETE FROM wallets')
        this.#sql.exec(
          `INSERT OR REPLACE INTO job (id, job_no, scope, stage, after, asked, started_at)
           VALUES (1, ?, ?, 0, '', 0, ?)`,
          ...[(job?.job_no ?? 0) + 1, scope, orderedAt ?? now],
        )
        this.#queue(this.#ofWallets([HOUSE], scope), now)
      })
      this.#kernel.alarm.wakeBy(now, now)
    }
    return this.progress()
  }

  /** Returns the state of the job in progress or of the last one. */
  async progress(): Promise<Progress> {
    const job = this.#job()
    return {
      scope: job?.scope ?? null,
      stage: (job && STAGES[job.scope][job.stage]) ?? null,
      asked: job?.asked ?? 0,
      waiting: this.#kernel.outbox.size(),
      startedAt: job?.started_at ?? null,
      finishedAt: job?.finished_at ?? null,
    }
  }

  /** Makes sure that a job continues if an alarm was lost. */
  async sweep(): Promise<void> {
    this.#kernel.wake()
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#kernel.run(info, async () => {
      await this.#kernel.drain()
      await this.#readPage()
      this.#finish()
    })
  }

  /** Whether the next page may be asked now. */
  #mayRead(now: number): boolean {
    const job = this.#job()
    if (!job || job.finished_at !== null || job.stage >= STAGES[job.scope].length) return false
    if (this.#kernel.outbox.size() >= MAX_WAITING) return false
    const dueAt = this.#kernel.outbox.nextDueAt(now)
    return dueAt === null || dueAt > now
  }

  async #readPage(): Promise<void> {
    const job = this.#job()
    const now = this.#kernel.clock.now()
    const stage = job && STAGES[job.scope][job.stage]
    if (!job || !stage || !this.#mayRead(now)) return
    const { messages, next } = await this.#page(stage, job)
    this.#kernel.transact(() => {
      // Another job may have been started while the page was read.
      if (this.#job()?.job_no !== job.job_no) return
      this.#sql.exec(
        'UPDATE job SET stage = ?, after = ?',
        ...[next === null ? job.stage + 1 : job.stage, next ?? ''],
      )
      this.#queue(messages, now)
    })
  }

  async #page(stage: Stage, { after, scope }: JobRow): Promise<Page> {
    const { vault, chainId, partners } = loadConfig(this.env)
    switch (stage) {
      case 'listed':
        return this.#walletPage(await listedWallets(this.env.DB, after || null, PAGE), scope)
      case 'depositors': {
        if (!vault) return { messages: [], next: null }
        const players = await retried(async () =>
          vaultWatch(this.env, vault.id).players(after || null, PAGE),
        )
        return this.#walletPage(players, scope)
      }
      case 'partners':
        return this.#partnerPage([...partners.keys()].toSorted(), after, scope)
      case 'rounds': {
        const table = crashTable(this.env)
        const newest = await table.newestRoundId()
        const first = Number(after || 0) + 1
        const last = Math.min(newest, first + PAGE - 1)
        const ids = await table.roundsWithBets(first, last)
        const exported = new Set(await exporter(this.env).exportedOf(ids))
        const messages = [
          { kind: 'rounds', payload: `${first}:${last}` },
          ...ids.map((id) => ({
            kind: exported.has(id) ? 'exported-round' : 'round',
            payload: String(id),
          })),
        ]
        return { messages, next: last < newest ? String(last) : null }
      }
      case 'openings': {
        const orders = await retried(async () =>
          relayer(this.env, chainId).prizes(after || null, PAGE),
        )
        const messages = orders.map(({ opening }) => ({ kind: 'opening', payload: opening }))
        return { messages, next: nextAfter(orders.map(({ id }) => id)) }
      }
    }
  }

  #walletPage(wallets: string[], scope: Scope): Page {
    return { messages: this.#ofWallets(wallets, scope), next: nextAfter(wallets) }
  }

  /** Returns the players of one shard of a partner's ids. `after` is the shard, a colon and a wallet. */
  async #partnerPage(partners: string[], after: string, scope: Scope): Promise<Page> {
    const [shardText = '', wallet = ''] = after.split(':')
    const shard = Number(shardText)
    const partner = partners[Math.floor(shard / SHARDS)]
    if (partner === undefined) return { messages: [], next: null }
    const ids = partnerIdsShard(this.env, partner, shard % SHARDS)
    const page = this.#walletPage(await ids.players(wallet || null, PAGE), scope)
    const next = page.next === null ? `${shard + 1}:` : `${shard}:${page.next}`
    return { ...page, next }
  }

  #ofWallets(wallets: string[], scope: Scope): OutboxMessage[] {
    const kinds = scope === 'everything' ? ['position', 'plays'] : ['position']
    return wallets.flatMap((wallet) => kinds.map((kind) => ({ kind, payload: wallet })))
  }

  /** Adds messages in the caller's transaction, at most one of a job to a wallet even if several lists name it. */
  #queue(messages: OutboxMessage[], now: number): void {
    for (const message of messages) {
      const { kind, payload } = message
      const isWallet = kind === 'position' || kind === 'plays'
      if (isWallet && !this.#isNew(`${payload}:${kind}`)) continue
      this.#kernel.outbox.add(message, now)
      this.#sql.exec('UPDATE job SET asked = asked + 1')
    }
  }

  #isNew(wallet: string): boolean {
    const added = this.#sql.exec(
      'INSERT INTO wallets (wallet) VALUES (?) ON CONFLICT DO NOTHING RETURNING 1',
      wallet,
    )
    return added.toArray().length > 0
  }

  /** Ends the job once every list has been read and every object has answered. */
  #finish(): void {
    const job = this.#job()
    if (!job || job.stage < STAGES[job.scope].length || this.#kernel.outbox.size() > 0) return
    this.#sql.exec(
      'UPDATE job SET finished_at = coalesce(finished_at, ?)',
      this.#kernel.clock.now(),
    )
  }

  #job(): JobRow | null {
    const [job] = this.#sql
      .exec<JobRow>('SELECT job_no, scope, stage, after, asked, started_at, finished_at FROM job')
      .toArray()
    return job ?? null
  }
}

/** Returns the start of the next page; null after the last. */
function nextAfter(names: string[]): string | null {
  return names.length === PAGE ? (names.at(-1) ?? null) : null
}
