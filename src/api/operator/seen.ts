import type { StuckObject } from '../../health/facts.ts'
import type { Health } from '../../health/health.ts'
import type { ControlOverview } from '../../operator/approval.ts'
import type { Role } from '../../operator/roles.ts'

/** An operator who has signed in. */
export interface Operator {
  /** In EIP-55 form. */
  wallet: string
  role: Role
}

/** Everything that an operator sees at once. */
export interface ServiceState extends ControlOverview {
  health: Health
  /** The objects with messages that they can't deliver, the longest stuck first. */
  stuck: StuckObject[]
  /** What pays withdrawals and prizes; null without a vault, or if it does not answer. */
  reserve: Reserve | null
}

/** The relayer's balance, in wei. */
export interface Reserve {
  /** Null before the chain was read. */
  balanceWei: string | null
  /** The least that it should hold. */
  reserveWei: string
  isVaultPaused: boolean
  withdrawalsWaiting: number
  prizesWaiting: number
}
