import { DurableObject } from 'cloudflare:workers'
import { appendToLog } from '../src/calls/public-log.ts'
import { loadConfig } from '../src/config/load.ts'
import { invariant } from '../src/core/invariant.ts'
import { sha256Hex } from '../src/core/sha256.ts'
import { DAY_SETTLES_MS, dateOf, dayAfter, endOfDay } from '../src/core/utc-day.ts'
import {
  fileName,
  manifestName,
  manifestText,
  objectKey,
  publicPath,
  type ExportedDay,
} from '../src/exports/manifest.ts'
import type { ExportFacts } from '../src/health/facts.ts'
import { lacksRounds, lastRoundBefore, walletsOfFeed } from '../src/history/exports.ts'
import { logFault } from '../src/log.ts'
import { Boxes } from './exporter/boxes.ts'
import { FileWriter } from './exporter/file.ts'
import { Openings } from './exporter/openings.ts'
import { Plays } from './exporter/plays.ts'
import { Rounds } from './exporter/rounds.ts'
import type { Job, Source } from './exporter/source.ts'
import { ExporterStore, type StoredJob } from './exporter/store.ts'
import { earliest } from './kernel/alarm.ts'
import { Kernel } from './kernel/kernel.ts'
import { ownerOf } from './kernel/owner.ts'
import { putOnce } from './kernel/put-once.ts'

/** A position may reach D1 this long after its own time. */
const POSITION_DELAY_MS = 3_600_000

/** How long the exporter waits for rows that the history has lost or does not have yet, before it looks again. */
const RETRY_MS = 60_000

/**
 * How long a day waits for rounds that are missing between others. After a fault of the history, they come in any
 * order, and a sender's longest delay between two attempts is five minutes.
 */
export const LATE_ROUNDS_MS = 900_000

/** The pause between two deletions of exported bets, so that the history can answer other calls. */
const TRIM_PAUSE_MS = 1_000

/** The steps of one alarm. Each reads one page, or finishes one file. */
const STEPS = 20

/**
 * Writes each closed UTC day of the history to R2, a page at a time, and lists the days it has written. Rows
 * are taken by cursors that move once their rows are stored here, so none is missed and none appears twice.
 */
export class Exporter extends DurableObject<Env> {
  readonly #kernel = new Kernel(this.ctx, ownerOf('Exporter', this.ctx, this.env))
  readonly #store = new ExporterStore(this.ctx.storage.sql)
  readonly #file = new FileWriter(this.ctx.storage.sql, this.env.EXPORTS)
  readonly #rounds = new Rounds(this.ctx.storage.sql, this.env.HISTORY)
  readonly #plays = new Plays(this.ctx.storage.sql, this.env, this.#kernel.owner.object)
  readonly #openings = new Openings(this.ctx.storage.sql, this.env, this.#kernel.owner.object)
  readonly #boxes = new Boxes(this.ctx.storage.sql, this.env, this.#kernel)
  /** In the order of their names in `DATASETS`. */
  readonly #sources: readonly Source[] = [
    this.#rounds.rounds,
    this.#rounds.bets,
    this.#plays,
    this.#openings,
    this.#boxes,
  ]
  #working: Promise<void> | null = null
  /** When the current file was last found to lack lost rows; null while it progresses. */
  #lostAt: number | null = null

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#kernel.assemble([
      { migration: this.#store.migration, nextDueAt: (now) => this.#nextDueAt(now) },
      this.#file,
      this.#rounds,
      this.#plays,
      this.#openings,
      this.#boxes,
    ])
  }

  /** Makes sure that the next day is exported once it has ended and settled. */
  async sweep(): Promise<void> {
    this.#begin()
    this.#kernel.wake()
  }

  /**
   * Exports the current day up to now, for local play. Later rows go into the next day's files. A closed day stays as
   * it is.
   */
  async closeDay(): Promise<ExportedDay | null> {
    this.#begin()
    while (this.#store.job()) await this.#work()
    const now = this.#kernel.clock.now()
    const today = dateOf(now)
    if (this.#nextDay() <= today) await this.#start(today, now)
    while (this.#store.job()) await this.#work()
    return this.#store.days(1)[0] ?? null
  }

  /** Returns the closed days, newest first. @param before only earlier days than this one; null for all */
  async days(limit: number, before: string | null = null): Promise<ExportedDay[]> {
    return this.#kernel.isOpen ? this.#store.days(limit, before) : []
  }

  /** Returns which of some rounds have had their bets exported, so that the history no longer needs them. */
  async exportedOf(roundIds: number[]): Promise<number[]> {
    const upTo = this.#kernel.isOpen ? this.#store.progress()?.roundsAfter : undefined
    return upTo === undefined ? [] : this.#rounds.exportedOf(roundIds, upTo)
  }

  /** Returns the facts behind its health. */
  async facts(): Promise<ExportFacts> {
    const { databaseSize: databaseBytes } = this.ctx.storage.sql
    if (!this.#kernel.isOpen) return { nextDay: null, newestDay: null, databaseBytes }
    return {
      nextDay: this.#store.progress()?.nextDay ?? null,
      newestDay: this.#store.days(1)[0]?.day ?? null,
      databaseBytes,
    }
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#kernel.run(info, async () => {
      const settledAt = this.#settledAt() ?? Infinity
      const isDue = !this.#store.job() && this.#kernel.clock.now() >= settledAt
      if (isDue) await this.#start(this.#nextDay(), settledAt - DAY_SETTLES_MS, true)
      await this.#work().catch((fault: unknown) => {
        // It has been logged, and the next alarm comes after a pause.
        if (this.#lostAt === null) throw fault
      })
      await this.#trim()
    })
  }

  #nextDueAt(now: number): number | null {
    if (this.#store.job()) return this.#lostAt === null ? now : this.#lostAt + RETRY_MS
    const hasToTrim = this.#store.untrimmed() !== null
    const isWaiting = this.#store.waitingSince() !== null
    const startsAt = isWaiting ? now + RETRY_MS : this.#settledAt()
    return earliest(startsAt, hasToTrim ? now + TRIM_PAUSE_MS : null)
  }

  /** Deletes some exported bets from the history, which would fill up. Their rounds keep them. */
  async #trim(): Promise<void> {
    const upTo = this.#store.untrimmed()
    if (upTo === null || this.#store.job()) return
    if (await this.#rounds.trim(upTo)) this.#kernel.transact(() => this.#store.markTrimmed(upTo))
  }

  #begin(): void {
    this.#kernel.open()
    if (this.#store.progress()) return
    const nextDay = dateOf(this.#kernel.clock.now())
    this.#store.saveProgress({ nextDay, roundsAfter: 0, since: 0 })
  }

  #nextDay(): string {
    return this.#store.progress()?.nextDay ?? ''
  }

  /** Returns when the next day can be exported; null before the first call. */
  #settledAt(): number | null {
    const day = this.#store.progress()?.nextDay
    return day === undefined ? null : endOfDay(day) + DAY_SETTLES_MS
  }

  /**
   * Fixes the range that a day covers.
   * @param mayWait whether it may wait for rounds that are missing between others
   */
  async #start(day: string, before: number, mayWait = false): Promise<void> {
    const { roundsAfter, since } = this.#store.progress() ?? { roundsAfter: 0, since: 0 }
    const [roundsLast, found, wallets] = await Promise.all([
      lastRoundBefore(this.env.HISTORY, before, roundsAfter),
      this.#rounds.found(),
      walletsOfFeed(this.env.HISTORY),
    ])
    const isGap = mayWait && (await lacksRounds(this.env.HISTORY, roundsAfter, roundsLast))
    // Another call may have started it meanwhile.
    if (this.#store.job() || this.#nextDay() > day) return
    if (isGap && this.#waits()) return
    this.#kernel.transact(() => {
      const job: Job = { day, before, roundsAfter, roundsLast, since }
      this.#store.startJob(job, this.#kernel.clock.now())
      this.#rounds.takeFound(found, day)
      this.#plays.owe(wallets)
    })
  }

  /**
   * Returns whether the next day still waits for rounds. Without them, an audit would find a gap in it until a day
   * later.
   */
  #waits(): boolean {
    const now = this.#kernel.clock.now()
    const since = this.#store.waitingSince()
    // Stored, because the object leaves the memory between two looks.
    if (since === null) this.#kernel.transact(() => this.#store.waitSince(now))
    return since === null || now - since < LATE_ROUNDS_MS
  }

  /** Does some steps, which simultaneous callers share. */
  #work(): Promise<void> {
    this.#working ??= this.#steps().finally(() => (this.#working = null))
    return this.#working
  }

  async #steps(): Promise<void> {
    this.#lostAt = null
    for (let step = 0; step < STEPS; step++) {
      const job = this.#store.job()
      if (!job) return
      await this.#step(job)
    }
  }

  async #step(job: StoredJob): Promise<void> {
    const source = this.#sources[job.stage]
    if (!source) return this.#publish(job)
    if (job.cursor === null) return this.#finish(job, source)
    const page = await source.page(job, job.cursor)
    if (!page) return this.#beginFileAgain(job, source)
    const text = page.rows.map(({ line }) => `${line}\n`).join('')
    // The first page is always written, so that a file without rows is valid gzip.
    const bytes = text === '' && job.cursor !== '' ? null : await compressed(text)
    this.#kernel.transact(() => {
      if (bytes) this.#file.append(bytes)
      page.keep?.()
      this.#store.passPage(page)
    })
  }

  /** Waits for rows of the file that have been lost. */
  #beginFileAgain({ day, stage }: StoredJob, { dataset }: Source): never {
    this.#kernel.transact(() => {
      this.#file.close()
      this.#store.turnTo(stage)
    })
    const fault = new Error(`the history has lost ${dataset} of the day`)
    this.#lostAt = this.#kernel.clock.now()
    logFault('export_delayed', fault, { object: this.#kernel.owner.object, day })
    throw fault
  }

  async #finish({ day, stage, rows, first, last }: StoredJob, { dataset }: Source): Promise<void> {
    const name = fileName(dataset, day)
    const hash = await this.#file.finish(objectKey(name))
    this.#kernel.transact(() => {
      this.#file.close()
      this.#store.passFile(stage, { name, rows, sha256: hash, first, last })
    })
  }

  async #publish({ day, before, roundsLast, startedAt }: StoredJob): Promise<void> {
    const text = manifestText({
      day,
      files: this.#store.files(),
      openGames: this.#plays.openGames(),
    })
    const name = manifestName(day)
    const hash = sha256Hex(text)
    await this.#putOnce(objectKey(name), text)
    const manifest = publicPath(name)
    if (loadConfig(this.env).log) {
      const entry = { kind: 'export' as const, id: day, at: this.#kernel.clock.now() }
      await appendToLog(this.env, { ...entry, manifest, sha256: hash })
    }
    this.#kernel.transact(() => {
      this.#store.closeDay({ day, manifest, sha256: hash })
      this.#rounds.close(day)
      this.#store.saveProgress({
        nextDay: dayAfter(day),
        roundsAfter: roundsLast,
        // A day that is exported late takes no play made after its end, so the next one asks those wallets again.
        since: Math.min(startedAt, before) - POSITION_DELAY_MS,
      })
    })
  }

  /** Stores a manifest, which caches keep forever. An earlier try may have stored it before a crash. */
  async #putOnce(key: string, text: string): Promise<void> {
    const httpMetadata = { contentType: 'application/json' }
    if (await putOnce(this.env.EXPORTS, key, text, { httpMetadata })) return
    const there = await this.env.EXPORTS.get(key)
    invariant((await there?.text()) === text, `${key} never changes`)
  }
}

/** Compresses rows. Compressed texts one after another are one compressed file. */
async function compressed(text: string): Promise<Uint8Array> {
  const stream = new Response(text).body?.pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
