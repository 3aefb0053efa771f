import { readFileSync } from 'node:fs'
import { descendants } from '../../shared/descendants.ts'

/** Linux counts a process's time in hundredths of a second. */
const TICK_MS = 10

/**
 * Returns the CPU time used so far by every process that this one has started, except the one that makes the load. In
 * milliseconds; NaN where there is no `/proc`.
 */
export function servicesCpuMs(): number {
  const times = descendants(process.pid).flatMap(cpuMsOf)
  return times.length === 0 ? NaN : times.reduce((sum, ms) => sum + ms, 0)
}

function cpuMsOf(pid: number): number[] {
  try {
    if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('load-process.ts')) return []
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The fields after the command's name, which may contain spaces: see proc_pid_stat(5).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [user, system] = [fields[11], fields[12]].map(Number)
    return [TICK_MS * ((user ?? 0) + (system ?? 0))]
  } catch {
    // It has ended since.
    return []
  }
}
