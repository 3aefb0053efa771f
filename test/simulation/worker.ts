import { parentPort, workerData } from 'node:worker_threads'
import { prepare, type SettingData } from './setting.ts'
import { playWithTwins } from './twins.ts'

// A thread that plays the histories it is asked for.

if (!parentPort) throw new Error('start this as a worker thread')
const port = parentPort
// Histories throw many errors, and capturing stack traces is slow. Only a told story needs them.
Error.stackTraceLimit = 0
const setting = await prepare(workerData as SettingData)

port.on('message', (seed: number) => {
  playWithTwins(seed, setting).then(
    (played) => port.postMessage(played),
    (fault: unknown) => {
      throw fault
    },
  )
})
port.postMessage('ready')
