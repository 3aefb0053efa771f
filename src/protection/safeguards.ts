import type { StoredPermission } from '../ledger/permission.ts'
import type { Protection } from './protection.ts'

/**
 * What a player has set for their protection. It is known outside their ledger, which loses it by going back in time.
 */
export interface Safeguards {
  /** Null if they have never set any limit or exclusion. */
  protection: Protection | null
  permissions: StoredPermission[]
}
