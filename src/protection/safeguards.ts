import type { StoredPermission } from '../ledger/permission.ts'
import type { Protection } from './protection.ts'

/**
 * A player's settings for their protection. They are known outside the ledger, which loses them by going back in time.
 */
export interface Safeguards {
  /** Null if they have never set any limit or exclusion. */
  protection: Protection | null
  permissions: StoredPermission[]
}
