import type { Mode } from '../../operator/modes.ts'

/** What an operator does to a switch to give it a mode. */
export const VERBS: Record<Mode, string> = { open: 'Open', draining: 'Drain', closed: 'Close' }

/** Names an act on a switch by its target, such as `crash=closed`. */
export function modeLabel(target: string): string {
  const [name = '', mode = ''] = target.split('=')
  return `${VERBS[mode as Mode] ?? mode} ${name}`
}
