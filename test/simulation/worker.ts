import { parentPort, workerData } from 'node:worker_threads'
import { playHistory, type Played } from './history.ts'
import { prepare, type SettingData } from './setting.ts'
import { leakIn } from './twins.ts'

// A thread that plays the histories it is asked for.

if (!parentPort) throw new Error('start this as a worker thread')
const port = parentPort
// Histories throw many errors, and capturing stack traces is slow. Only a told story needs them.
Error.stackTraceLimit = 0
const setting = await prepare(workerData as SettingData)

/** The share of seeds whose twins are compared too. */
const TWINS = 10

async function play(seed: number): Promise<Played> {
  const played = await playHistory(seed, setting)
  const leak = seed % TWINS === 0 ? await leakIn(seed, setting) : null
  return leak === null ? played : { ...played, problems: [...played.problems, leak] }
}

port.on('message', (seed: number) => {
  play(seed).then(
    (played) => port.postMessage(played),
    (fault: unknown) => {
      throw fault
    },
  )
})
port.postMessage('ready')
