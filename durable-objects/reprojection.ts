import { DurableObject } from 'cloudflare:workers'
import { retried } from '../src/calls/call.ts'
import {
  crashRound,
  crashTable,
  exporter,
  ledger,
  openingOwner,
  partnerIdsShard,
  readModes,
  relayer,
  vaultWatch,
} from '../src/calls/objects.ts'
import { loadConfig } from '../src/config/load.ts'
import { OBJECT_CLOCK_SKEW_MS } from '../src/core/age.ts'
import { listedWallets, unlistedWallets } from '../src/history/positions.ts'
import { HOUSE } from '../src/ledger/accounts.ts'
import { modesAt, walletSwitch } from '../src/operator/modes.ts'
import { SHARDS } from '../src/wallet-bridge/ids.ts'
import { Kernel } from './kernel/kernel.ts'
import type { OutboxMessage } from './kernel/outbox.ts'
import { ownerOf } from './kernel/owner.ts'
import { firstRow, hasRow } from './kernel/rows.ts'

/**
 * `jobs` has each job in progress, or the last one of its kind. `asked_wallets` has those that it has asked already.
 */
const TABLES = `
  CREATE TABLE jobs (
    name TEXT PRIMARY KEY,
    job_no INTEGER NOT NULL,
    stage INTEGER NOT NULL,
    after TEXT NOT NULL,
    asked INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    finished_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE asked_wallets (
    job TEXT NOT NULL,
    wallet TEXT NOT NULL,
    PRIMARY KEY (job, wallet)
  ) STRICT, WITHOUT ROWID;
`

/** The data to send again: the positions behind the bankroll, or everything that D1 shows. */
type Scope = 'positions' | 'everything'

/**
 * A job for each database, because bets depend on the positions in `DB`, and not on when `HISTORY` takes the rest. Each
 * with its messages, and the lists whose members it asks, in order.
 */
const JOBS = {
  positions: { kinds: ['position'], stages: ['listed', 'depositors', 'partners'] },
  history: {
    kinds: ['plays', 'rounds', 'round', 'exported-round', 'opening'],
    stages: ['listed', 'depositors', 'partners', 'rounds', 'openings'],
  },
} as const

type JobName = keyof typeof JOBS
type Stage = (typeof JOBS)[JobName]['stages'][number]

const NAMES = ['positions', 'history'] as const satisfies JobName[]

/**
 * The state of the jobs in progress or of the last ones. Times in unix milliseconds; null before the first and its end.
 */
export interface Progress {
  scope: Scope | null
  /** The list now being read; null once all have been read. */
  stage: Stage | null
  /** The number of messages to objects: all so far, and those without an answer. */
  asked: number
  waiting: number
  startedAt: number | null
  finishedAt: number | null
  /** Of the positions alone; null before they were first sent again. */
  positions: { startedAt: number; finishedAt: number | null } | null
}

type JobRow = {
  name: JobName
  job_no: number
  stage: number
  after: string
  asked: number
  started_at: number
  finished_at: number | null
}

/** The number of list members asked together. */
const PAGE = 50
/** While this many messages of a job have no answer, no more are sent. */
const MAX_WAITING = 1_000
/**
 * The attempt from which jobs give up on a closed wallet's ledger: after half an hour, because D1 itself may be down.
 */
const GIVEN_UP_FROM_ATTEMPT = 15

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
        nextDueAt: (now) => (this.#readable() ? now : null),
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
   * Starts the jobs of a scope, each unless one that covers it is there. Safe to repeat.
   * @param orderedAt the time of the request, in unix milliseconds: only a job that began later covers the request,
   *   because D1 may have been restored while an earlier one ran. Null if any job under way will do.
   */
  async start(scope: Scope, orderedAt: number | null = null): Promise<Progress> {
    const names = scope === 'everything' ? NAMES : (['positions'] as const)
    const missing = names.filter((name) => !this.#isCovered(name, orderedAt))
    if (missing.length > 0) {
      const now = this.#kernel.clock.now()
      this.#kernel.transact(() => {
        for (const name of missing) this.#begin(name, orderedAt ?? now)
      })
      this.#kernel.alarm.wakeBy(now, now)
    }
    return this.progress()
  }

  /** Returns the state of the jobs. */
  async progress(): Promise<Progress> {
    const [positions, history] = [this.#job('positions'), this.#job('history')]
    const isLatest = history && positions && history.started_at >= positions.started_at
    const isWhole = isLatest || history?.finished_at === null
    const jobs = [positions, isWhole ? history : null].filter((job) => job !== null)
    const ends = jobs.map((job) => job.finished_at ?? Infinity)
    return {
      scope: positions && (isWhole ? 'everything' : 'positions'),
      stage: jobs.map(stageOf).find((stage) => stage !== null) ?? null,
      asked: jobs.reduce((sum, { asked }) => sum + asked, 0),
      waiting: jobs.reduce((sum, { name }) => sum + this.#waiting(name), 0),
      startedAt: jobs.length > 0 ? Math.min(...jobs.map((job) => job.started_at)) : null,
      finishedAt: jobs.length > 0 && !ends.includes(Infinity) ? Math.max(...ends) : null,
      positions: positions && {
        startedAt: positions.started_at,
        finishedAt: positions.finished_at,
      },
    }
  }

  /** Makes sure that a job continues if an alarm was lost. */
  async sweep(): Promise<void> {
    this.#kernel.wake()
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#kernel.run(info, async () => {
      await this.#kernel.drain()
      // First, because the page may be one of the history that can't be read.
      for (const name of NAMES) await this.#finish(name)
      await this.#readPage()
      for (const name of NAMES) await this.#finish(name)
    })
  }

  #isCovered(name: JobName, orderedAt: number | null): boolean {
    const job = this.#job(name)
    if (!job) return false
    if (orderedAt === null) return job.finished_at === null
    return job.started_at === orderedAt || job.started_at > orderedAt + OBJECT_CLOCK_SKEW_MS
  }

  /** Begins a job from the start, in its caller's transaction. Drops the waiting messages of an earlier one. */
  #begin(name: JobName, startedAt: number): void {
    for (const kind of JOBS[name].kinds) this.#kernel.outbox.cancel(kind)
    this.#sql.exec('DELETE FROM asked_wallets WHERE job = ?', name)
    this.#sql.exec(
      `INSERT OR REPLACE INTO jobs (name, job_no, stage, after, asked, started_at)
       VALUES (?, ?, 0, '', 0, ?)`,
      name,
      (this.#job(name)?.job_no ?? 0) + 1,
      startedAt,
    )
    this.#queue(name, ofWallets([HOUSE], name))
  }

  /** Returns the job whose next page may be asked now: of the history only once all positions have been asked for. */
  #readable(): { job: JobRow; stage: Stage } | null {
    for (const name of NAMES) {
      const job = this.#job(name)
      const stage = job && stageOf(job)
      if (job && stage && this.#waiting(name) < MAX_WAITING) return { job, stage }
    }
    return null
  }

  async #readPage(): Promise<void> {
    const readable = this.#readable()
    if (!readable) return
    const { job, stage } = readable
    const { messages, next } = await this.#page(stage, job)
    this.#kernel.transact(() => {
      // Another job may have been started while the page was read.
      if (this.#job(job.name)?.job_no !== job.job_no) return
      this.#sql.exec(
        'UPDATE jobs SET stage = ?, after = ? WHERE name = ?',
        next === null ? job.stage + 1 : job.stage,
        next ?? '',
        job.name,
      )
      this.#queue(job.name, messages)
    })
  }

  async #page(stage: Stage, { after, name }: JobRow): Promise<Page> {
    const { vault, chainId, partners } = loadConfig(this.env)
    switch (stage) {
      case 'listed':
        return walletPage(await listedWallets(this.env.DB, after || null, PAGE), name)
      case 'depositors': {
        if (!vault) return { messages: [], next: null }
        const players = await retried(async () =>
          vaultWatch(this.env, vault.id).players(after || null, PAGE),
        )
        return walletPage(players, name)
      }
      case 'partners':
        return this.#partnerPage([...partners.keys()].toSorted(), after, name)
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

  /** Returns the players of one shard of a partner's ids. `after` is the shard, a colon and a wallet. */
  async #partnerPage(partners: string[], after: string, name: JobName): Promise<Page> {
    const [shardText = '', wallet = ''] = after.split(':')
    const shard = Number(shardText)
    const partner = partners[Math.floor(shard / SHARDS)]
    if (partner === undefined) return { messages: [], next: null }
    const ids = partnerIdsShard(this.env, partner, shard % SHARDS)
    const page = walletPage(await ids.players(wallet || null, PAGE), name)
    const next = page.next === null ? `${shard + 1}:` : `${shard}:${page.next}`
    return { ...page, next }
  }

  /** Adds messages in the caller's transaction, at most one of a job to a wallet even if several lists name it. */
  #queue(name: JobName, messages: OutboxMessage[]): void {
    const now = this.#kernel.clock.now()
    for (const message of messages) {
      const isOfWallet = message.kind === 'position' || message.kind === 'plays'
      if (isOfWallet && !this.#isNew(name, message.payload)) continue
      this.#kernel.outbox.add(message, now)
      this.#sql.exec('UPDATE jobs SET asked = asked + 1 WHERE name = ?', name)
    }
  }

  #isNew(name: JobName, wallet: string): boolean {
    const added = this.#sql.exec(
      'INSERT INTO asked_wallets (job, wallet) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING 1',
      name,
      wallet,
    )
    return hasRow(added)
  }

  /** Ends a job once every list has been read and every object has answered, or needn't. */
  async #finish(name: JobName): Promise<void> {
    const job = this.#job(name)
    const isRead = job !== null && stageOf(job) === null
    if (!isRead || job.finished_at !== null) return
    const isDone = this.#waiting(name) === 0 || (name === 'positions' && (await this.#areClosed()))
    if (!isDone) return
    this.#sql.exec(
      'UPDATE jobs SET finished_at = ? WHERE name = ? AND job_no = ?',
      this.#kernel.clock.now(),
      name,
      job.job_no,
    )
  }

  /**
   * Returns whether only damaged ledgers have yet to send their positions: they have failed often, operators have
   * closed their wallets, and D1 has earlier positions. Bets would wait for them permanently, and the treasury compares
   * these positions with the vault's logs.
   */
  async #areClosed(): Promise<boolean> {
    const waiting = this.#sql
      .exec<{ wallet: string; attempts: number }>(
        `SELECT payload AS wallet, attempts FROM outbox WHERE kind = 'position'`,
      )
      .toArray()
    if (waiting.some(({ attempts }) => attempts < GIVEN_UP_FROM_ATTEMPT)) return false
    const wallets = waiting.map(({ wallet }) => wallet)
    try {
      const modes = modesAt(await readModes(this.env), this.#kernel.clock.now())
      if (wallets.some((wallet) => modes[walletSwitch(wallet)] !== 'closed')) return false
      return (await unlistedWallets(this.env.DB, wallets)).length === 0
    } catch {
      // Control or D1 doesn't answer, which others report. The other job must go on.
      return false
    }
  }

  /** Returns the number of a job's messages without an answer. */
  #waiting(name: JobName): number {
    return this.#kernel.outbox.sizeOf(JOBS[name].kinds)
  }

  #job(name: JobName): JobRow | null {
    return firstRow(
      this.#sql.exec<JobRow>(
        'SELECT name, job_no, stage, after, asked, started_at, finished_at FROM jobs WHERE name = ?',
        name,
      ),
    )
  }
}

/** Returns the list that a job reads next; null once it has read all. */
function stageOf({ name, stage, finished_at: finishedAt }: JobRow): Stage | null {
  return finishedAt === null ? (JOBS[name].stages[stage] ?? null) : null
}

function walletPage(wallets: string[], name: JobName): Page {
  return { messages: ofWallets(wallets, name), next: nextAfter(wallets) }
}

function ofWallets(wallets: string[], name: JobName): OutboxMessage[] {
  const [kind] = JOBS[name].kinds
  return wallets.map((wallet) => ({ kind, payload: wallet }))
}

/** Returns the start of the next page; null after the last. */
function nextAfter(names: string[]): string | null {
  return names.length === PAGE ? (names.at(-1) ?? null) : null
}
