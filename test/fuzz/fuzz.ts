// npm run fuzz: sends a service requests that are nearly right, and checks every answer and the books.
import { readArgs } from '../../src/cli/shared/terminal.ts'
import { exitOnSignals } from '../live/setting.ts'
import { keepFilesInMemory } from '../memory-folder.ts'
import { fuzz, type FuzzReport } from './run.ts'

const USAGE = `npm run fuzz -- [options]

  --seed N       makes the same requests again, as far as the service is at the same point
  --requests N   how many requests to send
  --for 60s      how long to send requests. Default: 60s`

const { values } = readArgs(USAGE, {
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    requests: { type: 'string' },
    for: { type: 'string' },
  },
})

const DEFAULT_SECONDS = '60s'

async function main(): Promise<void> {
  const seconds = Number.parseFloat(values.for ?? (values.requests ? 'Infinity' : DEFAULT_SECONDS))
  const seed = Number(values.seed)
  console.log(`seed ${seed}`)
  const report = await fuzz({
    seed,
    requests: Number(values.requests ?? 'Infinity'),
    forMs: seconds * 1_000,
    onProgress: (line) => console.error(line),
  })
  print(report)
  if (report.findings.length > 0) process.exitCode = 1
}

function print({ requests, seconds, counts, findings }: FuzzReport): void {
  for (const [name, byStatus] of [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const statuses = [...byStatus].toSorted(([a], [b]) => (a < b ? -1 : 1))
    console.log(`${name.padEnd(48)} ${statuses.map(([status, n]) => `${status}: ${n}`).join('  ')}`)
  }
  const rate = (requests / seconds).toFixed(0)
  console.log(`\n${requests} requests in ${seconds.toFixed(0)} s, ${rate} a second.`)
  for (const finding of findings) console.log(`\nFOUND ${finding}`)
  console.log(findings.length === 0 ? 'Nothing found.' : `\n${findings.length} found.`)
}

exitOnSignals()
keepFilesInMemory()
await main()
process.exit()
