import type { StuckObject } from '../../health/facts.ts'
import type { Health } from '../../health/health.ts'
import type { JournalEntry } from '../../ledger/journal.ts'
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

/** The place among all journals where a call continues: after a wallet, or in the midst of its journal. */
export interface Cursor {
  wallet: string
  /** The segment or entry of it that was the last; 0 if all of it is done. */
  done: number
}

/** What is wrong with a journal. */
export interface JournalProblem {
  wallet: string
  /** The segment in the archive; null for the entries that are in the object. */
  segment: number | null
  problem: string
}

/** The result of verifying some journals. */
export interface Verification {
  wallets: number
  segments: number
  failures: JournalProblem[]
  /** The cursor of the next call; null after the last journal. */
  next: string | null
}

/** Some entries of one wallet's journal. */
export interface JournalPage {
  /** Null if there are no more journals. */
  wallet: string | null
  entries: JournalEntry[]
  /** The cursor of the next call; null after the last journal. */
  next: string | null
}
