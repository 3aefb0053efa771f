import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts a process's time in hundredths of a second. */
const TICK_MS = 10

/**
 * Returns the CPU time that the services have used so far, in milliseconds: of every process that this one has started,
 * directly or not, but the one that makes the load. NaN where there is no `/proc`.
 */
export function servicesCpuMs(): number {
  const processes = readProcesses()
  const isOurs = (pid: number): boolean => {
    const found = processes.get(pid)
    return found !== undefined && (found.parent === process.pid || isOurs(found.parent))
  }
  const services = [...processes].filter(([pid, { isLoad }]) => !isLoad && isOurs(pid))
  if (services.length === 0) return NaN
  return services.reduce((sum, [, { ticks }]) => sum + ticks * TICK_MS, 0)
}

interface Process {
  parent: number
  ticks: number
  isLoad: boolean
}

function readProcesses(): Map<number, Process> {
  const found = new Map<number, Process>()
  for (const name of namesIn('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const isLoad = readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('load-process.ts')
      // The fields after the command's name, which may have spaces (proc_pid_stat(5)).
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const [parent, user, system] = [fields[1], fields[11], fields[12]].map(Number)
      found.set(Number(name), {
        parent: parent ?? 0,
        ticks: (user ?? 0) + (system ?? 0),
        isLoad,
      })
    } catch {
      // It has ended meanwhile.
    }
  }
  return found
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
