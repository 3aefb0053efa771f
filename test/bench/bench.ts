import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Json } from 'miniflare'
import { devPartnerKeys } from '../../src/cli/shared/dev-partners.ts'
import { CommandError, readArgs, runCommand, wholeNumber } from '../../src/cli/shared/terminal.ts'
import { Child } from './child.ts'
import { costsTable } from './costs.ts'
import { gasTable } from './gas.ts'
import { LoadClient } from './load.ts'
import { makePlayers } from './players.ts'
import { hasPostgres, startCluster } from './postgres/cluster.ts'
import {
  COMPARED_PLAYERS,
  compareServices,
  formatComparisons,
  ONE_ROUND_VARS,
  type Comparison,
} from './postgres/compare.ts'
import { startLeast } from './postgres/least.ts'
import type { ServiceOrder } from './postgres/service.ts'
import { formatTable, summarize, type StoredSample } from './report.ts'
import { LIMITS } from './requests.ts'
import { formatRound, measureRound, ROUND_PLAYERS, ROUND_ROUTE, ROUND_VARS } from './round.ts'
import { STORAGES, type Storage } from './rows.ts'
import { startRuntime, type Runtime } from './runtime.ts'
import { BETTING_MS, PLAYERS, Session } from './session.ts'
import { formatStream, measureStream, STREAM_VARS, type StreamFigures } from './stream.ts'
import { buildWorker, type Modules } from './worker-bundle.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const USAGE = `npm run bench -- [options]

  --quick       one session of each storage instead of three
  --stream      measures only the live stream
  --sockets N   how many viewers the live stream has. Default: 1000
  --round       measures only how many bets a single round takes
  --postgres    measures only bets, plays and states, beside a service that uses PostgreSQL and a Worker that does the
                least`

interface Options {
  /** How many of each storage. */
  sessions: number
  /** What is measured, instead of everything. */
  only: 'stream' | 'round' | 'postgres' | null
  sockets: number
}

const MAX_SOCKETS = 100_000
const NO_POSTGRES =
  'PostgreSQL is not on the PATH. Add the folder of initdb and postgres, for example: PATH=$PATH:/usr/lib/postgresql/15/bin npm run bench -- --postgres'

/** Clients that read states beside the live stream. */
const READERS = 200

const SITE = { domain: 'bench.example', origin: 'https://bench.example', chainId: 31337 }

const VARS = {
  SITE_DOMAIN: SITE.domain,
  SITE_ORIGIN: SITE.origin,
  CHAIN_ID: String(SITE.chainId),
  CRASH_LIMITS: LIMITS,
  PARTNER_KEYS: devPartnerKeys(),
  CRASH_BETTING_MS: String(BETTING_MS),
}

function readOptions(): Options {
  const { values } = readArgs(USAGE, {
    options: {
      quick: { type: 'boolean' },
      stream: { type: 'boolean' },
      postgres: { type: 'boolean' },
      round: { type: 'boolean' },
      sockets: { type: 'string', default: '1000' },
    },
  })
  return {
    sessions: values.quick ? 1 : 3,
    only: (['stream', 'round', 'postgres'] as const).find((part) => values[part]) ?? null,
    sockets: wholeNumber('--sockets', values.sockets, 1, MAX_SOCKETS),
  }
}

async function main(): Promise<number> {
  const { sessions, only, sockets } = readOptions()
  if (only === 'postgres' && !hasPostgres()) throw new CommandError(NO_POSTGRES)
  const folders: Record<Storage, string> = {
    memory: temporaryFolder(existsSync('/dev/shm') ? '/dev/shm' : tmpdir()),
    disk: temporaryFolder(join(ROOT, '.wrangler')),
  }
  const modules = await buildWorker(ROOT, join(folders.disk, 'worker'))
  const players = await makePlayers(PLAYERS, SITE)
  const client = new LoadClient()
  const samples: StoredSample[] = []
  let stream: StreamFigures
  try {
    if (only === 'postgres') {
      await comparePostgres(client, modules, folders, sessions)
      return 0
    }
    if (only === 'round') {
      await measureRounds(client, folders)
      return 0
    }
    const wanted = only === 'stream' ? 0 : sessions
    for (let session = 1; session <= wanted; session++) {
      for (const storage of STORAGES) {
        console.error(`session ${session} of ${sessions}, ${storage}`)
        const measured = await withRuntime(modules, folders[storage], VARS, (runtime) =>
          new Session(client, runtime, players).measure(),
        )
        samples.push(...measured.map((sample) => ({ ...sample, storage })))
      }
    }
    console.error('the live stream')
    const vars = { ...VARS, ...STREAM_VARS }
    stream = await withRuntime(modules, folders.memory, vars, (runtime) =>
      measureStream(client, runtime, players.slice(0, READERS), sockets),
    )
  } finally {
    client.close()
  }
  if (only === 'stream') {
    console.log(`\n${formatStream(stream)}`)
    return 0
  }
  const areExpected = report(samples, stream, sessions)
  console.log(`\n${formatStream(stream)}`)
  console.log(`\nWhat each path writes and calls, as counted, and its list price:\n`)
  console.log(costsTable(ROOT))
  console.log(`\nGas of each call of the vault, as a transaction of its own:\n`)
  console.log(await gasTable(ROOT))
  return areExpected ? 0 : 1
}

/**
 * Prints the speed of bets, plays and states beside that of a service that uses PostgreSQL, and of a Worker that does
 * the least.
 */
async function comparePostgres(
  client: LoadClient,
  modules: Modules,
  folders: Record<Storage, string>,
  sessions: number,
): Promise<void> {
  const players = await makePlayers(COMPARED_PLAYERS, SITE)
  for (const storage of STORAGES) {
    const compared: Comparison[] = []
    for (let session = 1; session <= sessions; session++) {
      console.error(`session ${session} of ${sessions}, ${storage}`)
      const parent = dirname(folders[storage])
      const socket = temporaryFolder(tmpdir())
      const stop = await startCluster(temporaryFolder(parent), socket, storage === 'disk')
      const service = new Child('postgres/service.ts')
      try {
        const order: ServiceOrder = { socket, site: SITE, limits: LIMITS }
        const { url: theirs } = await service.ask<{ url: string }>(order)
        const vars = { ...VARS, ...ONE_ROUND_VARS }
        const least = await startLeast(ROOT, temporaryFolder(parent))
        try {
          const measured = await withRuntime(modules, folders[storage], vars, ({ worker: ours }) =>
            compareServices(client, { ours, theirs, least: least.url }, players),
          )
          compared.push(...measured)
        } finally {
          await least.close()
        }
      } finally {
        service.close()
        await stop()
      }
    }
    console.log(`${formatComparisons(storage, compared)}\n`)
  }
  console.log(
    `Requests a second at ${cpus().length} cores: medians, and the ratios with their lowest and highest.`,
  )
}

/** Prints how many bets a single round takes. */
async function measureRounds(client: LoadClient, folders: Record<Storage, string>): Promise<void> {
  const modules = await buildWorker(ROOT, join(folders.disk, 'round'), { route: ROUND_ROUTE })
  const players = await makePlayers(ROUND_PLAYERS, SITE)
  for (const storage of STORAGES) {
    console.error(`one round, ${storage}`)
    const vars = { ...VARS, ...ROUND_VARS }
    const figures = await withRuntime(modules, folders[storage], vars, (runtime) =>
      measureRound(client, runtime, players),
    )
    console.log(`${formatRound(storage, figures)}\n`)
  }
}

/** Measures on a Worker that has just started. */
async function withRuntime<T>(
  modules: Modules,
  folder: string,
  vars: Record<string, Json>,
  measure: (runtime: Runtime) => Promise<T>,
): Promise<T> {
  const storage = join(folder, 'storage')
  const runtime = await startRuntime(ROOT, modules, storage, vars)
  try {
    return await measure(runtime)
  } finally {
    await runtime.close()
    rmSync(storage, { recursive: true })
  }
}

/** Prints and saves the figures. Returns whether no path failed unexpectedly. */
function report(samples: StoredSample[], stream: StreamFigures, sessions: number): boolean {
  const figures = summarize(samples)
  const unexpected = samples.filter(
    ({ failures, outOfTime }) => Object.keys(failures).length > 0 && !outOfTime,
  )
  const dropped = samples.filter(({ outOfTime }) => outOfTime)
  console.log(`${formatTable(figures)}\n`)
  console.log('Ratios to hello-world right before and after: median (lowest–highest).')
  console.log(`${sessions} sessions a storage; load average ${loadavg()[0]?.toFixed(1)}.`)
  for (const { row, storage } of dropped) {
    console.log(`Dropped once: ${row} on ${storage}; its round ended before it was done.`)
  }
  for (const { row, storage, failures } of unexpected) {
    console.log(`FAILED: ${row} on ${storage}: ${JSON.stringify(failures)}`)
  }
  const machine = { cpus: cpus().length, model: cpus()[0]?.model, loadAverage: loadavg() }
  const results = { at: new Date().toISOString(), machine, figures, stream, samples }
  writeFileSync(join(ROOT, 'bench-results.json'), `${JSON.stringify(results, null, 2)}\n`)
  return unexpected.length === 0
}

/** Deleted when this process ends, for whatever reason. */
const temporaryFolders: string[] = []

function temporaryFolder(parent: string): string {
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'fairhouse-bench-'))
  temporaryFolders.push(folder)
  return folder
}

process.on('exit', () => {
  for (const folder of temporaryFolders)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => process.exit(1))
}

await runCommand(main)
