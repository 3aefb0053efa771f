import { BoxSequence } from '../../audit/boxes.ts'
import type { Finding } from '../../audit/finding.ts'
import { mergeUse, shownUse, type TermsUse } from '../../audit/in-force.ts'
import { addPlays, type PlaysUnderTerms } from '../../audit/in-terms.ts'
import { OpenGames } from '../../audit/open-games.ts'
import { OpeningSet } from '../../audit/openings.ts'
import type { PlaysPart } from '../../audit/plays.ts'
import type { RoundsPart } from '../../audit/rounds.ts'
import { PlaySequence, RoundSequence, type IsOpen } from '../../audit/sequence.ts'
import { testAll } from '../../audit/statistics.ts'
import {
  emptyCrash,
  emptyReturns,
  emptyVoids,
  mergeCrash,
  mergeReturns,
  mergeVoids,
  type ReturnTally,
} from '../../audit/tally.ts'
import { dayAfter, startOfDay } from '../../core/utc-day.ts'
import { fileName, type Dataset, type ExportFile, type Manifest } from '../../exports/manifest.ts'
import { KEY_OF } from '../../exports/rows.ts'
import type { SignedBeacon } from '../../fairness/drand.ts'
import { TOKENS } from '../../money/token.ts'
import type { Receipt } from '../../receipts/claims.ts'
import { jsonIn } from '../shared/json.ts'
import { CommandError } from '../shared/terminal.ts'
import type { ReadPayment } from '../verify/payments.ts'
import type { AuditedLog } from './log.ts'
import { manifestOf } from './manifest.ts'
import { missingFrom } from './missing.ts'
import { OwnRows } from './own-rows.ts'
import { AuditedPayments } from './payments.ts'
import { Pool, type Workers } from './pool.ts'
import type { AuditReport } from './report.ts'
import { chunksOf, LineFile, type ExportSource } from './source.ts'

interface AuditOptions {
  /** The first and the last day, as YYYY-MM-DD; null for all. */
  from: string | null
  to: string | null
  /** Reads the public log to compare the export with; null for a site without one. Called once the days are listed. */
  readLog?: (newestDay: string) => Promise<AuditedLog | null>
  /** A player's receipts, whose rows must be there. */
  receipts?: readonly Receipt[]
  /** Reads the payments of openings from the chain; null without a node. */
  readPayment?: ReadPayment | null
  /** Whether each pepper must come from a public beacon, as of any site but that of local play. */
  needsBeacon?: boolean
  /** By default, a thread for each core. */
  workers?: Workers
  /** Another chain's key, for tests. */
  publicKey?: string
  /** Called after each day. */
  onDay?: (day: string) => void
}

const ROUNDS_A_JOB = 200
const LINES_A_JOB = 1_000
const BEACONS_A_JOB = 256
const MAX_FINDINGS = 1_000

/** An audit under way. */
class Audit {
  readonly #source: ExportSource
  readonly #workers: Workers
  readonly #publicKey: string | undefined
  readonly #log: AuditedLog | null
  readonly #needsBeacon: boolean
  readonly own: OwnRows
  readonly findings: Finding[] = []
  findingCount = 0
  readonly rounds: RoundSequence
  readonly plays: PlaySequence
  readonly openGames = new OpenGames()
  readonly openings = new OpeningSet()
  readonly payments: AuditedPayments
  readonly boxes: BoxSequence
  readonly crash = emptyCrash()
  readonly voids = TOKENS.map(emptyVoids)
  readonly returns: ReturnTally[] = []
  /** The plays, grouped by the terms that they name and by how they are paid. */
  readonly playTerms = new Map<string, PlaysUnderTerms>()
  readonly uses = new Map<string, TermsUse>()
  readonly counted = { rounds: 0, voided: 0, committed: 0, bets: 0, plays: 0, beacons: 0 }
  #beacons: SignedBeacon[] = []
  /** Returns whether the last manifest names a wallet's play as an open game. */
  #isOpen: IsOpen = () => false
  /** Results are taken in the order of their jobs, so that the same export has the same report. */
  #results: Promise<void> = Promise.resolve()

  constructor(
    source: ExportSource,
    workers: Workers,
    startsAt: number | null,
    log: AuditedLog | null,
    options: AuditOptions,
  ) {
    this.#needsBeacon = options.needsBeacon ?? false
    this.own = new OwnRows(options.receipts ?? [])
    this.payments = new AuditedPayments(options.readPayment ?? null)
    this.#source = source
    this.#workers = workers
    this.#publicKey = options.publicKey
    this.#log = log
    this.rounds = new RoundSequence(startsAt)
    this.plays = new PlaySequence(startsAt)
    this.boxes = new BoxSequence(startsAt === null)
  }

  find(findings: readonly Finding[]): void {
    this.findingCount += findings.length
    this.findings.push(...findings.slice(0, Math.max(0, MAX_FINDINGS - this.findings.length)))
  }

  async day({ day, files, openGames = [] }: Manifest): Promise<void> {
    const find = (problem: string) => this.find([{ where: `the export of ${day}`, problem }])
    const open = new Set(openGames.map(({ wallet, nonce }) => `${wallet} ${nonce}`))
    const isOpen = (this.#isOpen = (wallet, nonce) => open.has(`${wallet} ${nonce}`))
    const fileOf = (dataset: Dataset) => {
      const named = files.filter(({ name }) => name === fileName(dataset, day))
      if (named.length !== 1) find(`its manifest does not list one file of ${dataset}`)
      return named[0]
    }
    const [rounds, bets, plays] = [fileOf('rounds'), fileOf('bets'), fileOf('plays')]
    const [openings, boxes] = [fileOf('openings'), fileOf('boxes')]
    if (rounds && bets) await this.#rounds(rounds, bets, find)
    if (plays) await this.#lines(plays, find, (lines) => this.#plays(lines, day))
    if (openings) await this.#lines(openings, find, (lines) => this.#openings(lines, day))
    if (boxes) await this.#lines(boxes, find, (lines) => this.#boxes(lines))
    this.#take(Promise.resolve(), () => {
      this.plays.endDay(day, isOpen)
      for (const problem of this.openGames.endDay(day, openGames)) find(problem)
    })
  }

  /** Waits for all jobs, and makes the checks that need the whole. */
  async finish(): Promise<void> {
    await this.#results
    await this.#verifyBeacons(0)
    await this.#results
    this.rounds.finish()
    this.plays.finish(this.#isOpen)
    const { rounds, plays, openings, boxes } = this
    this.find([rounds, plays, openings, boxes].flatMap(({ findings }) => findings))
    const { history } = this.#log ?? {}
    if (!history) return
    this.find([
      ...history.findings,
      ...[...this.playTerms.values()].flatMap((same) => history.checkPlays(same)),
      ...boxes.batches().flatMap((batch) => history.checkBatch(batch)),
      ...boxes.contracts().flatMap((contract) => history.checkContract(contract)),
    ])
  }

  async #rounds(roundFile: ExportFile, betFile: ExportFile, find: Find): Promise<void> {
    const needsBeacon = this.#needsBeacon
    const bets = this.#rows(betFile, find)
    let bet = await bets.next()
    for await (const rounds of chunksOf(this.#rows(roundFile, find), ROUNDS_A_JOB)) {
      const last = roundOf(rounds.at(-1) ?? '')
      const betsOf: string[] = []
      while (!bet.done && roundOf(bet.value) <= last) {
        betsOf.push(bet.value)
        bet = await bets.next()
      }
      await this.#workers.room()
      this.#take(this.#workers.run('rounds', { rounds, bets: betsOf, needsBeacon }), (part) =>
        this.#tookRounds(part, betsOf.length),
      )
    }
    let stray = 0
    for (; !bet.done; bet = await bets.next()) stray++
    if (stray > 0) find(`bets that belong to no round of the day: ${stray}`)
    await this.#verifyBeacons(BEACONS_A_JOB)
  }

  #tookRounds(part: RoundsPart, bets: number): void {
    this.find(part.findings)
    const { history } = this.#log ?? {}
    if (history) this.find(part.digests.flatMap((digest) => history.checkRound(digest)))
    if (part.bets !== bets) {
      const problem = `bets that belong to no round, or have a wrong form: ${bets - part.bets}`
      this.find([{ where: 'bets', problem }])
    }
    this.rounds.add(part.rounds)
    this.counted.rounds += part.rounds.length
    this.counted.voided += part.rounds.filter(({ draw }) => draw === null).length
    this.counted.committed += part.rounds.filter(({ isCommitted }) => isCommitted).length
    this.counted.bets += part.bets
    this.#beacons.push(...part.beacons)
    mergeCrash(this.crash, part.crash)
    for (const [index, tally] of part.voids.entries()) {
      const own = this.voids[index]
      if (own) mergeVoids(own, tally)
    }
  }

  /** Gives the lines of a file to jobs. @param job starts one */
  async #lines(file: ExportFile, find: Find, job: (lines: string[]) => void): Promise<void> {
    for await (const lines of chunksOf(this.#rows(file, find), LINES_A_JOB)) {
      await this.#workers.room()
      job(lines)
    }
  }

  #plays(lines: string[], day: string): void {
    this.#take(this.#workers.run('plays', { lines }), (part) => this.#tookPlays(part, day))
  }

  #openings(lines: string[], day: string): void {
    const job = { lines, needsBeacon: this.#needsBeacon }
    this.#take(this.#workers.run('openings', job), async ({ findings, openings, beacons }) => {
      this.find(findings)
      this.openings.add(openings, day)
      const { history } = this.#log ?? {}
      if (history) this.find(openings.flatMap((opening) => history.checkOpening(opening, day)))
      this.#beacons.push(...beacons)
      this.find(await this.payments.check(openings))
    })
  }

  #boxes(lines: string[]): void {
    this.#take(this.#workers.run('boxes', { lines }), ({ findings, boxes }) => {
      this.find(findings)
      this.boxes.add(boxes)
    })
  }

  #tookPlays(part: PlaysPart, day: string): void {
    this.find(part.findings)
    this.plays.add(part.runs, day)
    this.openGames.addPlays(part.runs)
    for (const plays of part.terms.values()) addPlays(this.playTerms, { ...plays, exportedOn: day })
    for (const use of part.uses.values()) {
      this.find(this.#log?.history.checkInForce(use) ?? [])
      mergeUse(this.uses, { ...use, hours: new Map() })
    }
    this.counted.plays += part.plays
    for (const tally of part.returns) {
      let own = this.returns.find(({ game, token }) => game === tally.game && token === tally.token)
      if (!own) this.returns.push((own = emptyReturns(tally.game, tally.token)))
      mergeReturns(own, tally)
    }
  }

  /** Verifies the signatures that wait, as long as there are more than some. */
  async #verifyBeacons(more: number): Promise<void> {
    await this.#results
    while (this.#beacons.length > more) {
      const beacons = this.#beacons.splice(0, BEACONS_A_JOB)
      this.counted.beacons += beacons.length
      await this.#workers.room()
      const job = this.#publicKey === undefined ? {} : { publicKey: this.#publicKey }
      this.#take(this.#workers.run('beacons', { beacons, ...job }), (wrong) => {
        this.find(
          wrong.map(({ round }) => ({
            where: `drand round ${round}`,
            problem: 'the signature is not the one of drand quicknet',
          })),
        )
      })
    }
  }

  #take<T>(result: Promise<T>, then: (part: T) => void | Promise<void>): void {
    this.#results = this.#results.then(async () => then(await result))
    // A failure is thrown where the results are awaited.
    this.#results.catch(() => {})
  }

  /** Reads a file's rows, and then compares it with its manifest. */
  async *#rows(file: ExportFile, find: Find): AsyncGenerator<string> {
    const lines = new LineFile(this.#source, file.name)
    const [dataset] = file.name.split('/', 1)
    let rows = 0
    let first: string | null = null
    let last: string | null = null
    for await (const line of lines.lines()) {
      rows++
      first ??= line
      last = line
      this.find(this.own.check(dataset, line))
      yield line
    }
    for (const [place, line] of [
      ['first', first],
      ['last', last],
    ] as const) {
      const key = line === null ? null : keyOf(file.name, line)
      const said = file[place]
      if (key !== said)
        find(`the ${place} row of ${file.name} is ${key}, its manifest says ${said}`)
    }
    if (rows !== file.rows) find(`${file.name} has ${rows} rows, its manifest says ${file.rows}`)
    if (lines.sha256() !== file.sha256) {
      find(`${file.name} does not have the sha256 that its manifest says`)
    }
  }
}

type Find = (problem: string) => void

/** Audits an export. @throws CommandError if it can't be read */
export async function runAudit(source: ExportSource, options: AuditOptions): Promise<AuditReport> {
  const [startedAt, askedAt] = [performance.now(), Date.now()]
  const { from, to } = options
  const all = await source.days()
  const days = all.filter(({ day }) => day >= (from ?? day) && day <= (to ?? day))
  const [first] = days
  if (!first)
    throw new CommandError(
      `${source.name} has no exported day in this range. A day is exported from 00:15 UTC of the next one on. In local play, POST /api/dev/close-day exports the current day.`,
    )
  // A folder may have been downloaded from a later day on, but a site must list every day.
  const isWhole = first === all[0] && (from === null || first.sha256 !== null)
  const log = (await options.readLog?.(days.at(-1)?.day ?? first.day)) ?? null
  // Only now: threads would keep the process alive if the log can't be read.
  const workers = options.workers ?? new Pool()
  const startsAt = isWhole ? null : startOfDay(first.day)
  const audit = new Audit(source, workers, startsAt, log, options)
  const manifests: AuditReport['manifests'] = []
  try {
    for (const { day, sha256 } of days) {
      const before = manifests.at(-1)?.day
      const expected = before === undefined ? day : dayAfter(before)
      if (day !== expected) {
        audit.find([{ where: `the export of ${expected}`, problem: 'it is missing' }])
      }
      const manifest = await manifestOf(source, day, sha256, (findings) => audit.find(findings))
      manifests.push({ day, sha256: manifest.sha256 })
      audit.find(log?.history.checkManifest(day, manifest.sha256) ?? [])
      await audit.day(manifest)
      options.onDay?.(day)
    }
    await audit.finish()
    const newest = all.at(-1)
    const listed = newest && newest.sha256 !== null ? newest.day : null
    const range = { first: first.day, last: days.at(-1)?.day ?? first.day, to, listed, askedAt }
    audit.find(missingFrom(range, audit.own, log?.history))
  } finally {
    await workers.close()
  }
  const { rounds, plays, openings, payments, openGames, boxes } = audit
  const { crash, voids, returns, findings, findingCount, counted } = audit
  const tallies = { crash, rounds: rounds.draws, games: plays.draws, returns }
  return {
    source: source.name,
    days: days.map(({ day }) => day),
    isWhole,
    manifests,
    counted: { ...counted, wallets: plays.wallets, openings: openings.size, boxes: boxes.size },
    logKey: log?.key ?? null,
    predecessor: log?.history.predecessor ?? null,
    playTerms: [...audit.uses.values()].map(shownUse),
    unfollowed: [...(log?.history.unfollowed ?? [])].toSorted(),
    uncompared: log?.history.uncompared ?? [],
    late: { openings: openings.late, plays: plays.late.plays, wallets: plays.late.wallets.size },
    openGames: [...openGames.long].toSorted(),
    payments: { compared: payments.compared, uncompared: payments.uncompared },
    findings,
    findingCount,
    statistics: testAll(tallies),
    crashDraws: rounds.draws,
    voids,
    returns,
    seconds: (performance.now() - startedAt) / 1_000,
  }
}

/** Returns the key of a row, as a manifest names it; null for a row without one. */
function keyOf(name: string, line: string): string | null {
  const keys: Partial<Record<string, (row: never) => string>> = KEY_OF
  const row = jsonIn(line)
  if (typeof row !== 'object' || row === null) return null
  return keys[name.split('/', 1)[0] ?? '']?.(row as never) ?? null
}

/** Returns the number of a row's round; 0 if it has none. */
function roundOf(line: string): number {
  return Number(/^\{"roundId":(\d{1,15})[,}]/.exec(line)?.[1] ?? 0)
}
