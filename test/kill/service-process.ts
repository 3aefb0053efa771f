// A process of its own for one service, so that its workerd can be found and killed.
import { execFileSync } from 'node:child_process'
import { run, type ServiceOrder } from '../live/setting.ts'

/** The first message of this process. */
export interface Started {
  baseUrl: string
  /** The ids of the processes to kill, workerd first. */
  pids: number[]
}

process.once('message', (order: ServiceOrder) => void start(order))
// Nobody is left to kill it.
process.once('disconnect', () => process.exit())

async function start(order: ServiceOrder): Promise<void> {
  const { worker } = await run(order, (line) => console.log(line))
  const workerd = execFileSync('pgrep', ['-P', String(process.pid), '-x', 'workerd'])
  const started: Started = { baseUrl: worker, pids: [Number(workerd.toString()), process.pid] }
  process.send?.(started)
}
