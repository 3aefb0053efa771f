import { capital } from '../../core/words.ts'
import type { Mode } from '../../operator/modes.ts'
import { isShut } from '../components/closing.tsx'

/** The players' names for parts whose own names are internal. */
export const PLAIN_NAMES: Readonly<Record<string, string>> = {
  table: 'Crash rounds',
  beacon: 'Public randomness (drand)',
  relayer: 'Withdrawals and prizes',
  outboxes: 'Delivery between parts',
  control: 'Switches of operators',
  log: 'Public log',
  exports: 'Daily exports',
  books: 'Books of the house',
  solvency: 'Count of what is owed',
}

/** Writes a part's name as words: "vaultWatch" and "vault-watch" are "Vault watch". */
export function nameOf(name: string): string {
  return capital(
    name
      .replaceAll(/[-_]/g, ' ')
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase(),
  )
}

/** Says in a few words how the service is. A part may work for nobody: that play is closed matters most. */
export function titleOf({ status, mode }: { status: 'up' | 'degraded'; mode?: Mode }): string {
  if (isShut(mode)) return 'Closed for maintenance'
  return status === 'up' ? 'Everything works' : 'Some parts are degraded'
}
