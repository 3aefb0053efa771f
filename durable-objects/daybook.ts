import { DurableObject } from 'cloudflare:workers'
import { retried } from '../src/calls/call.ts'
import { ledger, relayer, treasury } from '../src/calls/objects.ts'
import { loadConfig } from '../src/config/load.ts'
import { isRefusal, refuse, type Refusal } from '../src/core/refusal.ts'
import {
  DAY_MS,
  DAY_SETTLES_MS,
  dateOf,
  dayAfter,
  endOfDay,
  startOfDay,
} from '../src/core/utc-day.ts'
import { gasLine, prizeLine, summed, type DaybookLine } from '../src/daybook/lines.ts'
import { partnerTotals, type DayBooks, type PartnerTotals } from '../src/daybook/report.ts'
import type { BooksFacts } from '../src/health/facts.ts'
import { activeWallets } from '../src/history/exports.ts'
import { prizesWon } from '../src/history/openings.ts'
import { logFault } from '../src/log.ts'
import type { PerToken } from '../src/money/token.ts'
import { DaybookStore, type Job } from './daybook/store.ts'
import { Kernel } from './kernel/kernel.ts'
import { ownerOf } from './kernel/owner.ts'
import type { DaybookLines } from './ledger/daybook-lines.ts'

/** A count resumes after this, if a ledger does not answer or D1 may lack positions. */
const RETRY_MS = 60_000
/** How many ledgers are asked at the same time. */
const WALLETS = 10
/** How many times one alarm does that. */
const STEPS = 20

/**
 * The house's books, day by day: counts each closed UTC day from the journals, whose times decide the day. Any day can
 * be counted again, with the same result.
 */
export class Daybook extends DurableObject<Env> {
  readonly #kernel = new Kernel(this.ctx, ownerOf('Daybook', this.ctx, this.env))
  readonly #store = new DaybookStore(this.ctx.storage.sql)

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#kernel.assemble([
      { migration: this.#store.migration, nextDueAt: (now) => this.#nextDueAt(now) },
    ])
  }

  /** Makes sure that the next day is counted once it has ended. */
  async sweep(): Promise<void> {
    this.#begin()
    this.#kernel.wake()
  }

  /**
   * Begins to count a day, even one that was counted before. The current day is counted up to now. Refuses while
   * another day is being counted, unless that count is failing: then gives it up.
   * @param day as YYYY-MM-DD
   */
  async count(day: string): Promise<Refusal | null> {
    // The date parser takes the 31st of any month for a day, and its books would count that day twice.
    if (dateOf(startOfDay(day)) !== day) return refuse('invalid_request', `There is no day ${day}.`)
    this.#begin()
    const job = this.#store.job()
    if (job?.day === day) return null
    if (job && this.#store.failedAt() === null)
      return refuse('closed', `The books of ${job.day} are being counted. Try again later.`)
    if (startOfDay(day) > this.#kernel.clock.now()) {
      return refuse('invalid_request', `${day} has not begun.`)
    }
    this.#kernel.transact(() => this.#start(day))
    this.#kernel.wake()
    return null
  }

  /** Returns the books of a range's counted days, in order. Days as YYYY-MM-DD, both included. */
  async read(from: string, to: string): Promise<DayBooks[]> {
    if (!this.#kernel.isOpen) return []
    return this.#store.days(from, to).map((day) => ({ ...day, lines: this.#store.lines(day.day) }))
  }

  /** Returns each partner's totals over all counted days, and the newest of these days; null before the first. */
  async partners(): Promise<{
    day: string | null
    books: Record<string, PerToken<PartnerTotals>>
  }> {
    if (!this.#kernel.isOpen) return { day: null, books: {} }
    return { day: this.#store.newestDay(), books: partnerTotals(this.#store.partnerLines()) }
  }

  /** Returns the facts behind its health. */
  async facts(): Promise<BooksFacts> {
    const { databaseSize: databaseBytes } = this.ctx.storage.sql
    if (!this.#kernel.isOpen) return { nextDay: null, newestDay: null, databaseBytes }
    return {
      nextDay: this.#store.nextDay(),
      newestDay: this.#store.newestClosedDay(),
      databaseBytes,
    }
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#kernel.run(info, async () => {
      const now = this.#kernel.clock.now()
      const settledAt = this.#settledAt() ?? Infinity
      const day = this.#store.nextDay()
      if (!this.#store.job() && day !== null && now >= settledAt) {
        this.#kernel.transact(() => this.#start(day))
      }
      try {
        await this.#expectPositions()
        await this.#steps()
      } catch (fault) {
        // A day's books are complete or absent, so the count waits until every object answers.
        this.#store.noteFailure(now)
        logFault('daybook_delayed', fault, {
          object: this.#kernel.owner.object,
          day: this.#store.job()?.day,
        })
      }
    })
  }

  #nextDueAt(now: number): number | null {
    if (!this.#store.job()) return this.#settledAt()
    const failedAt = this.#store.failedAt()
    return failedAt === null ? now : failedAt + RETRY_MS
  }

  #begin(): void {
    this.#kernel.open()
    if (this.#store.nextDay() === null) this.#store.saveNextDay(dateOf(this.#kernel.clock.now()))
  }

  /** Returns when the next day can be counted; null before the first call. */
  #settledAt(): number | null {
    const day = this.#store.nextDay()
    return day === null ? null : endOfDay(day) + DAY_SETTLES_MS
  }

  #start(day: string): void {
    const none = {
      wallet: '',
      reading: '',
      seq: 0,
      wallets: 0,
      entries: 0,
      problems: [],
      lines: [],
    }
    this.#store.saveJob({ day, startedAt: this.#kernel.clock.now(), ...none })
  }

  async #steps(): Promise<void> {
    for (let step = 0; step < STEPS; step++) {
      const job = this.#store.job()
      if (!job) return
      await this.#step(job)
    }
  }

  /**
   * Expects D1 to name every wallet that was active, if the count closes its day. Otherwise the count begins again: it
   * may have missed some. Without a vault nobody knows what D1 has.
   */
  async #expectPositions(): Promise<void> {
    const job = this.#store.job()
    const { vault } = loadConfig(this.env)
    if (!job || !vault || !closesDay(job)) return
    if (await retried(async () => treasury(this.env, vault.id).areAllSent())) return
    this.#kernel.transact(() => {
      if (this.#isPresent(job)) this.#start(job.day)
    })
    throw new Error('some ledgers may not have sent their positions')
  }

  /** Asks some ledgers, and closes the day after the last. */
  async #step(job: Job): Promise<void> {
    const since = startOfDay(job.day)
    const range = { after: job.wallet, since, limit: WALLETS }
    const wallets = await activeWallets(this.env.DB, range)
    if (wallets.length === 0) {
      await this.#expectPositions()
      return this.#close(job)
    }
    const asked = await Promise.all(
      wallets.map(async (wallet) => {
        const after = wallet === job.reading ? job.seq : 0
        return { wallet, after, answer: await this.#ask(wallet, since, after) }
      }),
    )
    // Those after a ledger with more operations wait for it.
    const more = asked.findIndex(({ answer }) => !answer.isAll)
    const taken = more === -1 ? asked : asked.slice(0, more + 1)
    const done = more === -1 ? wallets.length : more
    const active = taken.filter(
      ({ after, answer }) => answer.isAll && (answer.entries > 0 || after > 0),
    )
    const next: Job = {
      day: job.day,
      startedAt: job.startedAt,
      wallet: wallets[done - 1] ?? job.wallet,
      reading: asked[more]?.wallet ?? '',
      seq: asked[more]?.answer.seq ?? 0,
      wallets: job.wallets + active.length,
      entries: taken.reduce((sum, { answer }) => sum + answer.entries, job.entries),
      problems: [
        ...job.problems,
        ...taken.flatMap(({ wallet, answer }) =>
          answer.problem === null ? [] : [`${wallet}: ${answer.problem}`],
        ),
      ],
      lines: summed([...job.lines, ...taken.flatMap(({ answer }) => answer.lines)]),
    }
    this.#kernel.transact(() => {
      if (this.#isPresent(job)) this.#store.saveJob(next)
    })
  }

  async #ask(wallet: string, from: number, after: number): Promise<DaybookLines> {
    const range = { from, to: from + DAY_MS, after }
    const answer = await retried(async () => ledger(this.env, wallet).bookedLines(range))
    if (isRefusal(answer)) throw new Error(answer.error.message)
    return answer
  }

  async #close(job: Job): Promise<void> {
    const from = startOfDay(job.day)
    const others = await this.#otherLines(from, from + DAY_MS)
    const countedAt = this.#kernel.clock.now()
    const { day, wallets, entries, problems } = job
    for (const problem of problems) {
      logFault('daybook_unbalanced', new Error(problem), { object: this.#kernel.owner.object, day })
    }
    this.#kernel.transact(() => {
      if (!this.#isPresent(job)) return
      const isClosed = closesDay(job)
      const counted = { day, countedAt, isClosed, wallets, entries, problems }
      this.#store.saveDay(counted, summed([...job.lines, ...others]))
      // By starting the count of a later day, operators skip one that can't be counted.
      if (isClosed && day >= (this.#store.nextDay() ?? '')) this.#store.saveNextDay(dayAfter(day))
    })
  }

  /** Returns whether a count is still current: operators may have started another one while objects were asked. */
  #isPresent({ day }: Job): boolean {
    return this.#store.job()?.day === day
  }

  /** Returns the lines that no ledger has: prizes that were won, and the relayer's gas. */
  async #otherLines(from: number, to: number): Promise<DaybookLine[]> {
    const { vault } = loadConfig(this.env)
    const prizes = await prizesWon(this.env.HISTORY, from, to)
    const gasWei = vault
      ? await retried(async () => relayer(this.env, vault.chainId).gasSpent(from, to))
      : 0n
    return [
      ...prizes.map(({ asset, amountWei }) => prizeLine(asset, amountWei)),
      ...(gasWei > 0n ? [gasLine(gasWei)] : []),
    ]
  }
}

/** Returns whether a count is the last of its day. One that began earlier may have missed the day's last operations. */
function closesDay({ day, startedAt }: Job): boolean {
  return startedAt >= endOfDay(day) + DAY_SETTLES_MS
}
