import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { devPartnerKeys } from '../../src/cli/dev-partners.ts'
import { gasTable } from './gas.ts'
import { LoadClient } from './load.ts'
import { makePlayers, type Player } from './players.ts'
import { formatTable, summarize, type StoredSample } from './report.ts'
import { STORAGES, type Storage } from './rows.ts'
import { startRuntime } from './runtime.ts'
import { LIMITS, PLAYERS, Session } from './session.ts'
import { buildWorker, type Modules } from './worker-bundle.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SESSIONS = process.argv.includes('--quick') ? 1 : 3

const SITE = { domain: 'bench.example', origin: 'https://bench.example', chainId: 31337 }

const VARS = {
  SITE_DOMAIN: SITE.domain,
  SITE_ORIGIN: SITE.origin,
  CHAIN_ID: String(SITE.chainId),
  CRASH_LIMITS: LIMITS,
  PARTNER_KEYS: devPartnerKeys(),
  /** Time enough for everything that a session does before take-off. */
  CRASH_BETTING_MS: '36000',
}

/** Shorter pauses for garbage collection: they are not what is measured. */
process.env['MINIFLARE_WORKERD_V8_FLAGS'] ??= '--max-semi-space-size=4'

async function main(): Promise<void> {
  const folders: Record<Storage, string> = {
    memory: temporaryFolder(existsSync('/dev/shm') ? '/dev/shm' : tmpdir()),
    disk: temporaryFolder(join(ROOT, '.wrangler')),
  }
  const modules = await buildWorker(ROOT, join(folders.disk, 'worker'))
  const players = await makePlayers(PLAYERS, SITE)
  const client = new LoadClient()
  const samples: StoredSample[] = []
  try {
    for (let session = 1; session <= SESSIONS; session++) {
      for (const storage of STORAGES) {
        console.error(`session ${session} of ${SESSIONS}, ${storage}`)
        const measured = await runSession(client, modules, players, folders[storage])
        samples.push(...measured.map((sample) => ({ ...sample, storage })))
      }
    }
  } finally {
    client.close()
  }
  report(samples)
  console.log(`\nGas of each call of the vault, as a transaction of its own:\n`)
  console.log(await gasTable(ROOT))
}

async function runSession(client: LoadClient, modules: Modules, players: Player[], folder: string) {
  const storage = join(folder, 'storage')
  const runtime = await startRuntime(ROOT, modules, storage, VARS)
  try {
    return await new Session(client, runtime, players).measure()
  } finally {
    await runtime.close()
    rmSync(storage, { recursive: true })
  }
}

function report(samples: StoredSample[]): void {
  const figures = summarize(samples)
  const unexpected = samples.filter(
    ({ failures, outOfTime }) => Object.keys(failures).length > 0 && !outOfTime,
  )
  const dropped = samples.filter(({ outOfTime }) => outOfTime)
  console.log(`${formatTable(figures)}\n`)
  console.log('Ratios to hello-world right before and after: median (lowest–highest).')
  console.log(`${SESSIONS} sessions a storage; load average ${loadavg()[0]?.toFixed(1)}.`)
  for (const { row, storage } of dropped) {
    console.log(`Dropped once: ${row} on ${storage}; the round went on before it was through.`)
  }
  for (const { row, storage, failures } of unexpected) {
    console.log(`FAILED: ${row} on ${storage}: ${JSON.stringify(failures)}`)
  }
  const machine = { cpus: cpus().length, model: cpus()[0]?.model, loadAverage: loadavg() }
  const results = { at: new Date().toISOString(), machine, figures, samples }
  writeFileSync(join(ROOT, 'bench-results.json'), `${JSON.stringify(results, null, 2)}\n`)
  if (unexpected.length > 0) process.exitCode = 1
}

/** A folder that goes away with this process, however it ends. */
function temporaryFolder(parent: string): string {
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'fairhouse-bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => process.exit(1))
}

await main()
