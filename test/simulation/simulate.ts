import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { gapsIn } from './boundaries.ts'
import { playHistory, type Played } from './history.ts'
import { MUTANTS } from './mutants/mutants.ts'
import { tryMutant } from './mutants/try-mutants.ts'
import { playOnThreads } from './pool.ts'
import { failureReport, mutantRow, totalsText, type Totals } from './report.ts'
import { prepare, readDeployment, readSetting, type SettingData } from './setting.ts'
import { shrink } from './shrink.ts'
import { readable } from './story.ts'
import { Coverage, coverageTable } from './world/coverage.ts'

const USAGE = `npm run simulate -- [options]

  --seed N       replays one history and tells it; a failing one is shrunk first
  --whole        with --seed: tells all of it, even if it fails
  --for 60s      how long to play histories (s, m or h). Default: 60s
  --count N      how many histories to play, instead of a time; with --mutants: of each, at most
  --from N       begins with this seed. Default: a random one
  --workers N    the number of threads. Default: 1
  --go-on        reports failing seeds and goes on, without shrinking
                 Ctrl+C ends a run with its totals, after the histories that have begun
  --mutants T    instead: breaks the service on purpose, and plays until each break is found;
                 only breaks whose name has the text T (all: --mutants=)
  --beside REV   during a gradual deployment: some isolates run the service as it was at a commit
  --coverage     prints the table of boundaries and faults
`

/** A long run prints its totals so often. */
const TOLD_EVERY = 1_000

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string' },
    whole: { type: 'boolean', default: false },
    for: { type: 'string', default: '60s' },
    count: { type: 'string' },
    from: { type: 'string' },
    workers: { type: 'string', default: '1' },
    'go-on': { type: 'boolean', default: false },
    mutants: { type: 'string' },
    beside: { type: 'string' },
    coverage: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (options.help) process.stdout.write(USAGE)
else if (options.seed !== undefined) await tell(Number(options.seed))
else if (options.mutants !== undefined) await findMutants(options.mutants)
else await playMany()

/** Reads the service, and the version that runs beside it if one is named. */
function readVersions(): Promise<SettingData> {
  return options.beside === undefined ? readSetting() : readDeployment(options.beside)
}

/** Replays one history and tells it. */
async function tell(seed: number): Promise<void> {
  const setting = await prepare(await readVersions())
  const played = await playHistory(seed, setting, { isTold: true })
  const hasFailed = played.problems.length > 0
  if (hasFailed) process.exitCode = 1
  if (hasFailed && !options.whole)
    return print(failureReport(played, await shrink(played, setting)))
  print(...readable(played.story ?? []), ...readable(played.problems))
  print(hasFailed ? `Seed ${seed} fails.` : `Everything held. The trace is ${played.trace}.`)
}

async function playMany(): Promise<void> {
  const data = await readVersions()
  const from = options.from === undefined ? randomInt(2 ** 31) : Number(options.from)
  const count = options.count === undefined ? Infinity : Number(options.count)
  print(`Seeds from ${from} on.`)
  const coverage = new Coverage()
  const totals: Totals = {
    ...{ histories: 0, events: 0, operations: 0, faults: 0, simulatedMs: 0, seconds: 0 },
  }
  const failed: Played[] = []
  const startedAt = performance.now()
  const endsAt = count === Infinity ? startedAt + durationMs(options.for) : Infinity
  let begun = 0
  let isStopped = false
  process.once('SIGINT', () => (isStopped = true))
  await playOnThreads(
    data,
    Number(options.workers),
    () => {
      const isOver = isStopped || begun >= count || performance.now() >= endsAt
      return isOver ? null : from + begun++
    },
    (played) => {
      coverage.merge(played.coverage)
      totals.histories++
      totals.events += played.events
      totals.operations += played.operations.length
      totals.faults += played.faults.length
      totals.simulatedMs += played.elapsedMs
      totals.seconds = (performance.now() - startedAt) / 1000
      if (totals.histories % TOLD_EVERY === 0) print(totalsText(totals))
      if (played.problems.length === 0) return true
      failed.push(played)
      if (options['go-on']) print(`Seed ${played.seed}: ${played.problems[0]}`)
      return options['go-on']
    },
  )
  if (options.coverage) print(coverageTable(coverage.counts))
  print(totalsText(totals))
  const [first] = failed
  const gaps = first ? [] : gapsIn(coverage.counts, totals.histories)
  if (!first && gaps.length === 0) return print('Everything held.')
  process.exitCode = 1
  if (!first) return print('The histories held, but did not reach everything:', ...gaps)
  if (options['go-on']) return print(`${failed.length} failed.`)
  print(failureReport(first, await shrink(first, await prepare(data))))
}

/** Prints how many histories each mutant took. */
async function findMutants(text: string): Promise<void> {
  const from = options.from === undefined ? randomInt(2 ** 31) : Number(options.from)
  print(`Seeds from ${from} on.`)
  const wanted = MUTANTS.filter(({ name }) => name.includes(text))
  for (const mutant of wanted) {
    const most = Math.min(mutant.within, Number(options.count ?? Infinity))
    const found = await tryMutant(mutant, from, most)
    if (found.histories === null) process.exitCode = 1
    print(mutantRow(found, most))
  }
}

function durationMs(text: string): number {
  const [, amount, unit] = /^(\d+)(s|m|h)$/.exec(text) ?? []
  const unitMs = { s: 1_000, m: 60_000, h: 3_600_000 }[unit ?? '']
  if (unitMs === undefined) throw new Error(`${text} is no duration such as 60s, 5m or 1h`)
  return Number(amount) * unitMs
}

function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}
