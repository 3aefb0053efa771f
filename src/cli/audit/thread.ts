// A thread of the audit: does the jobs that the main thread sends.
import { parentPort } from 'node:worker_threads'
import { WORK, type Jobs } from './work.ts'

parentPort?.on('message', ({ kind, job }: { kind: keyof Jobs; job: never }) => {
  parentPort?.postMessage(WORK[kind](job))
})
