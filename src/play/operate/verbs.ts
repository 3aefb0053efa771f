import type { Mode } from '../../operator/modes.ts'

/** An operator's verb for giving a switch a mode. */
export const VERBS: Record<Mode, string> = { open: 'Open', draining: 'Drain', closed: 'Close' }

/** Names an act on a switch by its target, such as `crash=closed`. */
export function modeLabel(target: string): string {
  const [name = '', mode = ''] = target.split('=')
  return `${VERBS[mode as Mode] ?? mode} ${name}`
}
