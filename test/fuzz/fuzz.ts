// npm run fuzz: sends a service requests that are nearly right, and checks every answer and the books.
import { readArgs, runCommand, wholeNumber } from '../../src/cli/shared/terminal.ts'
import { exitOnSignals } from '../live/setting.ts'
import { durationMs } from '../shared/duration.ts'
import { keepFilesInMemory } from '../shared/memory-folder.ts'
import { readSeed } from '../shared/seed.ts'
import { fuzz, type FuzzReport } from './run.ts'

const USAGE = `npm run fuzz -- [options]

  --seed N       makes the same requests again, as far as the service is at the same point
  --requests N   how many requests to send
  --for 60s      how long to send requests. Default: 60s`

const MAX_REQUESTS = 10 ** 9

async function main(): Promise<number> {
  const { values } = readArgs(USAGE, {
    options: {
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      requests: { type: 'string' },
      for: { type: 'string' },
    },
  })
  const seed = readSeed('--seed', values.seed)
  const requests =
    values.requests === undefined
      ? Infinity
      : wholeNumber('--requests', values.requests, 1, MAX_REQUESTS)
  const isCounted = values.for === undefined && requests < Infinity
  const forMs = isCounted ? Infinity : durationMs('--for', values.for ?? '60s')
  console.log(`seed ${seed}`)
  const report = await fuzz({ seed, requests, forMs, onProgress: (line) => console.error(line) })
  print(report)
  return report.findings.length === 0 ? 0 : 1
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
await runCommand(main)
process.exit()
