import type { Played } from './history.ts'

/** Writes a failing history, shrunk, as a seed and a short list of steps. */
export function failureReport(failed: Played, shrunk: Played): string {
  const { seed, problems, operations, faults } = shrunk
  return [
    `Seed ${seed} fails:`,
    ...problems.slice(0, 5).map((problem) => `  ${problem}`),
    `It still does with ${operations.length} of ${failed.operations.length} operations and ` +
      `${faults.length} of ${failed.faults.length} faults:`,
    ...faults.map(({ crossing, fault }) => `  ${fault}: ${crossing}`),
    'The story:',
    ...(shrunk.story ?? []).filter((line) => !line.includes('  cron #')).map((line) => `  ${line}`),
    `Replay it: npm run simulate -- --seed ${seed}`,
  ].join('\n')
}

/** What a number of histories came to. */
export interface Totals {
  histories: number
  events: number
  operations: number
  faults: number
  simulatedMs: number
  seconds: number
}

export function totalsText(totals: Totals): string {
  const { histories, events, operations, faults, simulatedMs, seconds } = totals
  return [
    `${histories} histories in ${seconds.toFixed(1)} s (${(histories / seconds).toFixed(1)} a second):`,
    `${events} events, ${operations} operations of players, ${faults} faults,`,
    `${(simulatedMs / 3_600_000).toFixed(1)} simulated hours.`,
  ].join(' ')
}
