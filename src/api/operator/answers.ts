import type { StuckObject } from '../../health/facts.ts'
import type { Health } from '../../health/health.ts'
import type { Inspection } from '../../ledger/inspection.ts'
import type { JournalEntry } from '../../ledger/journal.ts'
import type { PerToken } from '../../money/token.ts'
import type { Act } from '../../operator/act.ts'
import type { ControlOverview } from '../../operator/approval.ts'
import type { Mode } from '../../operator/modes.ts'
import type { Role } from '../../operator/roles.ts'
import type { ShownProtection } from '../../protection/shown.ts'

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
  /** The reserve that pays withdrawals and prizes; null without a vault, or if it does not answer. */
  reserve: Reserve | null
  /**
   * The wallets with something in play, by positions of at most ten minutes ago; null while `all` is open, or if `DB`
   * does not answer.
   */
  walletsInPlay: number | null
}

/** The relayer's balance, in wei. */
export interface Reserve {
  /** Null before the chain was read. */
  balanceWei: string | null
  /** The least that it should hold. */
  reserveWei: string
  /** The prize pool's balances, in smallest units; null without one, or before the chain was read. */
  poolWei: Record<'ETH' | 'REWARD', string> | null
  isVaultPaused: boolean
  withdrawalsWaiting: number
  prizesWaiting: number
}

/** The place among all journals where a call continues: after a wallet, or in the midst of its journal. */
export interface Cursor {
  wallet: string
  /** The last segment or entry checked; 0 once the wallet's journal is done. */
  done: number
}

/** A problem in a journal. */
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
  /** Why the rest of the journal cannot be read; null if it can. */
  problem: string | null
  /** The cursor of the next call; null after the last journal. */
  next: string | null
}

/** Money that does not move, and the remedy. */
export interface StuckMoney {
  kind: 'withdrawal' | 'prize' | 'deposit' | 'freeze' | 'closed' | 'messages'
  /** The wallet that it concerns, or the object. */
  name: string
  /** Null for something else. */
  wallet: string | null
  asset: string | null
  /** In the asset's smallest unit. */
  amountWei: string | null
  /** In unix milliseconds. */
  since: number
  /** Whether it has taken longer than usual, or needs an operator. */
  isStuck: boolean
  cause: string
  remedy: string
  /** The acts that end it. */
  acts: Pick<Act, 'act' | 'target'>[]
}

/** A wallet's ledger and the limits that its player has set. */
export interface InspectedPlayer extends Inspection {
  ok: true
  wallet: string
  protection: ShownProtection
}

/** Whether a wallet's journal adds up to its balances. */
export interface VerifiedPlayer {
  ok: true
  isRight: boolean
  /** Null if it is right. */
  problem: string | null
  /** The number of entries in the journal. */
  entries: number
  /** Those in the archive, which were not replayed; null if something is wrong. */
  archived: number | null
}

/** A partner's limits, movements and balance in one token, in smallest units. */
export interface PartnerToken {
  creditLimitWei: string
  dayLimitWei: string
  /** The most that it may owe the house in all; null if unlimited. */
  maxDebtWei: string | null
  debitHourWei: string
  /** Of today. */
  creditedWei: string
  debitedWei: string
  /** Debits and rolled-back credits of the days that were counted. */
  wagered: string
  /** Credits and rolled-back debits of those days. */
  returned: string
  settledWei: string
  /** Negative if the partner owes the house. */
  owedWei: string
}

export interface ShownPartner {
  id: string
  mode: Mode
  keys: number
  consent: 'required' | 'implied'
  requireBodyHash: boolean
  tokens: PerToken<PartnerToken>
}

export interface ShownPartners {
  ok: true
  /** The newest day that was counted, as YYYY-MM-DD; null before the first. */
  countedTo: string | null
  partners: ShownPartner[]
  /**
   * Partners that have a balance in the books but are missing from the configuration, and with them their settled
   * amounts.
   */
  unlisted: string[]
}

/** An ended round and its beacon. */
export interface ShownRound {
  roundId: number
  kind: 'settled' | 'voided'
  /** In unix milliseconds. */
  endedAt: number
  betCount: number
  /** Null for a voided round. */
  crash: number | null
  /** Why it was voided; null for a settled round. */
  reason: string | null
  /** The number of the beacon; null for a round without one. */
  beacon: number | null
}

export interface ShownRounds {
  ok: true
  /** Both the newest first. */
  newest: ShownRound[]
  voided: ShownRound[]
}

/** A round beside drand's own record. */
export interface ComparedRound {
  ok: true
  roundId: number
  kind: 'settled' | 'voided'
  beacon: number
  /** When drand publishes the beacon, in unix milliseconds. */
  publishedAt: number
  /** The beacon's signature by the relays, verified; null if none has it. */
  signature: string | null
  /** Whether the round was settled with it; null for a voided round, and if no relay has it. */
  isSame: boolean | null
}
