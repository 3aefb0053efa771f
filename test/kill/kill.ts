// npm run kill: kills the service under load again and again, and checks every answer that it gave.
import { readArgs, runCommand, wholeNumber } from '../../src/cli/shared/terminal.ts'
import { exitOnSignals } from '../live/setting.ts'
import { readSeed } from '../shared/seed.ts'
import { killAgainAndAgain } from './run.ts'

const USAGE = `npm run kill -- [options]

  --seed N    repeats the orders of a run
  --kills N   how often the service is killed. Default: 25`

const MAX_KILLS = 100_000

async function main(): Promise<number> {
  const { values } = readArgs(USAGE, {
    options: {
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      kills: { type: 'string', default: '25' },
    },
  })
  const seed = readSeed('--seed', values.seed)
  const wanted = wholeNumber('--kills', values.kills, 1, MAX_KILLS)
  console.log(`seed ${seed}`)
  const startedAt = Date.now()
  const { kills, counts, compared, rounds, problems } = await killAgainAndAgain({
    seed,
    kills: wanted,
    onProgress: (line) => console.error(line),
  })
  for (const [name, count] of [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    console.log(`${name.padEnd(40)} ${count}`)
  }
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(0)
  console.log(
    `\n${kills} kills, ${rounds} rounds, ${compared} answers compared with a repetition, in ${seconds} s.`,
  )
  for (const problem of problems.slice(0, 20)) console.log(`\nFOUND ${problem}`)
  console.log(problems.length === 0 ? 'Nothing lost.' : `\n${problems.length} found.`)
  return problems.length === 0 ? 0 : 1
}

exitOnSignals()
await runCommand(main)
process.exit()
