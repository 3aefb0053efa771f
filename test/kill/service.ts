import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Service, ServiceOrder } from '../live/setting.ts'
import type { Started } from './service-process.ts'

/** Starts a service that can be killed. @param onLog takes what it logs */
export async function startMortal(
  order: ServiceOrder,
  onLog: (line: string) => void,
): Promise<Service> {
  const child = fork(new URL('service-process.ts', import.meta.url), { silent: true })
  const onOutput = (text: string) => text.split('\n').filter(Boolean).forEach(onLog)
  child.stdout?.setEncoding('utf8').on('data', onOutput)
  child.stderr?.setEncoding('utf8').on('data', onOutput)
  const ended = once(child, 'exit')
  const failed = ended.then(() => {
    throw new Error('the service did not start')
  })
  failed.catch(() => {})
  child.send(order)
  const [{ baseUrl, pids }] = (await Promise.race([once(child, 'message'), failed])) as [Started]
  const kill = async () => {
    for (const pid of pids) process.kill(pid, 'SIGKILL')
    await ended
  }
  return { ...order, baseUrl, close: kill }
}
