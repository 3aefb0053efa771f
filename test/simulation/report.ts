import type { Played } from './history.ts'
import type { Found } from './mutants/try-mutants.ts'
import { shrink } from './shrink.ts'
import { readable, withoutCron } from './story.ts'
import { faultsIn, type Counts } from './world/coverage.ts'
import type { Setting } from './world/world.ts'

/** Writes why a history fails. A leak between twins is reported as it is; any other failure is shrunk to a short list of steps. */
export async function failureReport(failed: Played, setting: Setting): Promise<string> {
  const { seed, leak, problems } = failed
  const others = problems.filter((problem) => problem !== leak)
  const lines = leak === null ? [] : [`Seed ${seed} leaks:`, ...readable([`  ${leak}`])]
  if (others.length > 0) lines.push(shrunkReport(failed, await shrink(failed, setting)))
  return [...lines, `Replay it: npm run simulate -- --seed ${seed}`].join('\n')
}

function shrunkReport(failed: Played, shrunk: Played): string {
  const { seed, problems, operations, faults } = shrunk
  return [
    `Seed ${seed} fails:`,
    ...readable(problems.slice(0, 5)).map((problem) => `  ${problem}`),
    `It still does with ${operations.length} of ${failed.operations.length} operations and ` +
      `${faults.length} of ${failed.faults.length} faults:`,
    ...readable(faults.map(({ crossing, fault }) => `  ${fault}: ${crossing}`)),
    'The story:',
    ...readable(withoutCron(shrunk.story ?? [])).map((line) => `  ${line}`),
  ].join('\n')
}

/** Writes a row of the mutants' table. */
export function mutantRow({ mutant, histories, problem }: Found, most: number): string {
  const [shown = ''] = readable([problem])
  const count = histories === null ? `NOT FOUND in ${most}` : `${histories}`
  return [count.padStart(5), mutant.name, shown.slice(0, 120)].join(' | ')
}

/** What a number of histories came to. */
export interface Totals {
  histories: number
  events: number
  operations: number
  simulatedMs: number
  seconds: number
}

/** @param counts of the faults, by boundary and kind */
export function totalsText(totals: Totals, counts: Counts): string {
  const { histories, events, operations, simulatedMs, seconds } = totals
  const kinds = faultsIn(counts)
  const faults = kinds.reduce((sum, [, count]) => sum + count, 0)
  return [
    `${histories} histories in ${seconds.toFixed(1)} s (${(histories / seconds).toFixed(1)} a second):`,
    `${events} events, ${operations} operations of players, ${faults} faults,`,
    `${(simulatedMs / 3_600_000).toFixed(1)} simulated hours.\nFaults by kind:`,
    `${kinds.map(([kind, count]) => `${kind} ${count}`).join(', ')}.`,
  ].join(' ')
}
