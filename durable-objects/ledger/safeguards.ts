import type { Safeguards } from '../../src/protection/safeguards.ts'
import type { Limits } from './limits.ts'
import type { Permissions } from './permissions.ts'

interface Parts {
  limits: Limits
  permissions: Permissions
}

/** Returns the player's safeguards; null if they have never set any. */
export function safeguardsOf(parts: Parts): Safeguards | null {
  const { protection } = parts.limits
  const permissions = parts.permissions.all()
  return protection || permissions.length > 0 ? { protection, permissions } : null
}

/** Makes a ledger at least as strict as some safeguards that it may have lost. Safe to repeat. */
export function takeOver({ limits, permissions }: Parts, known: readonly Safeguards[]): void {
  for (const each of known) {
    if (each.protection) limits.change({ action: 'take-over', known: each.protection })
    permissions.takeOver(each.permissions)
  }
}
