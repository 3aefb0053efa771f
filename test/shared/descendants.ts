import { execFileSync } from 'node:child_process'

/** Returns the ids of the processes that a process has started, directly or not. */
export function descendants(ancestor: number): number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const processes = table
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/).map(Number))
  const below = (parent: number): number[] =>
    processes.flatMap(([pid, ppid]) => (pid && ppid === parent ? [pid, ...below(pid)] : []))
  return below(ancestor)
}
