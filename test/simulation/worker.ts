import { parentPort, workerData } from 'node:worker_threads'
import { playHistory } from './history.ts'
import { prepare, type SettingData } from './setting.ts'

// A thread that plays the histories it is asked for.

if (!parentPort) throw new Error('start this as a worker thread')
const port = parentPort
const setting = await prepare(workerData as SettingData)

port.on('message', (seed: number) => {
  playHistory(seed, setting).then(
    (played) => port.postMessage(played),
    (fault: unknown) => {
      throw fault
    },
  )
})
port.postMessage('ready')
