import { randomInt } from 'node:crypto'
import { readArgs, runCommand, wholeNumber } from '../../src/cli/shared/terminal.ts'
import { durationMs } from '../shared/duration.ts'
import { readSeed } from '../shared/seed.ts'
import { gapsIn } from './boundaries.ts'
import type { Played } from './history.ts'
import { MUTANTS } from './mutants/mutants.ts'
import { tryMutant } from './mutants/try-mutants.ts'
import { playOnThreads } from './pool.ts'
import { failureReport, mutantRow, totalsText, type Totals } from './report.ts'
import { prepare, readDeployment, readSetting, type SettingData } from './setting.ts'
import { readable } from './story.ts'
import { playWithTwins } from './twins.ts'
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
  --coverage     prints the table of boundaries and faults`

/** A long run prints its totals so often. */
const TOLD_EVERY = 1_000

const MAX_HISTORIES = 10 ** 9
const MAX_WORKERS = 256

type Options = ReturnType<typeof readOptions>

await runCommand(async () => {
  const options = readOptions()
  if (options.seed !== null) return (await tell(options.seed, options)) ? 0 : 1
  const isFine = options.mutants === undefined ? playMany(options) : findMutants(options)
  return (await isFine) ? 0 : 1
})

function readOptions() {
  const { values } = readArgs(USAGE, {
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
    },
  })
  const { seed, whole, from, count, mutants, beside, coverage } = values
  return {
    whole,
    mutants,
    beside,
    coverage,
    seed: seed === undefined ? null : readSeed('--seed', seed),
    from: from === undefined ? randomInt(2 ** 31) : readSeed('--from', from),
    count: count === undefined ? null : wholeNumber('--count', count, 1, MAX_HISTORIES),
    forMs: durationMs('--for', values.for),
    workers: wholeNumber('--workers', values.workers, 1, MAX_WORKERS),
    goesOn: values['go-on'],
  }
}

/** Reads the service, and the version that runs beside it if one is named. */
function readVersions({ beside }: Options): Promise<SettingData> {
  return beside === undefined ? readSetting() : readDeployment(beside)
}

/** Replays one history and tells it. Returns whether it held. */
async function tell(seed: number, options: Options): Promise<boolean> {
  const setting = await prepare(await readVersions(options))
  const played = await playWithTwins(seed, setting, { isTold: true })
  const holds = played.problems.length === 0
  if (!holds && !options.whole) print(await failureReport(played, setting))
  else {
    print(...readable(played.story ?? []), ...readable(played.problems))
    print(holds ? `Everything held. The trace is ${played.trace}.` : `Seed ${seed} fails.`)
  }
  return holds
}

/** Plays histories. Returns whether all held, and reached everything that they should. */
async function playMany(options: Options): Promise<boolean> {
  const data = await readVersions(options)
  const { from, count, forMs, goesOn } = options
  print(`Seeds from ${from} on.`)
  const coverage = new Coverage()
  const totals: Totals = {
    histories: 0,
    events: 0,
    operations: 0,
    simulatedMs: 0,
    seconds: 0,
  }
  const failed: Played[] = []
  const startedAt = performance.now()
  const endsAt = count === null ? startedAt + forMs : Infinity
  let begun = 0
  let isStopped = false
  process.once('SIGINT', () => (isStopped = true))
  await playOnThreads(
    data,
    options.workers,
    () => {
      const isOver = isStopped || begun === count || performance.now() >= endsAt
      return isOver ? null : from + begun++
    },
    (played) => {
      coverage.merge(played.coverage)
      totals.histories++
      totals.events += played.events
      totals.operations += played.operations.length
      totals.simulatedMs += played.elapsedMs
      totals.seconds = (performance.now() - startedAt) / 1000
      if (totals.histories % TOLD_EVERY === 0) print(totalsText(totals, coverage.counts))
      if (played.problems.length === 0) return true
      failed.push(played)
      if (goesOn) print(`Seed ${played.seed}: ${played.problems[0]}`)
      return goesOn
    },
  )
  if (options.coverage) print(coverageTable(coverage.counts))
  print(totalsText(totals, coverage.counts))
  const [first] = failed
  const gaps = first ? [] : gapsIn(coverage.counts, totals.histories)
  if (gaps.length > 0) print('The histories held, but did not reach everything:', ...gaps)
  else if (!first) print('Everything held.')
  else if (goesOn) print(`${failed.length} failed.`)
  else print(await failureReport(first, await prepare(data)))
  return !first && gaps.length === 0
}

/** Prints how many histories each mutant took. Returns whether all were found. */
async function findMutants({ mutants = '', from, count }: Options): Promise<boolean> {
  print(`Seeds from ${from} on.`)
  let areFound = true
  for (const mutant of MUTANTS.filter(({ name }) => name.includes(mutants))) {
    const most = Math.min(mutant.within, count ?? Infinity)
    const found = await tryMutant(mutant, from, most)
    areFound &&= found.histories !== null
    print(mutantRow(found, most))
  }
  return areFound
}

function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}
