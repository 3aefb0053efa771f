import type { RoundView } from '../crash/state.ts'
import type { PerToken } from '../money/token.ts'
import type { Statement } from '../solvency/statement.ts'
import type { NextRelayer } from '../vault/table-config.ts'
import type { Doubt } from '../vault/trust.ts'

/** The objects' own facts, as one reading. Times in unix milliseconds, amounts in smallest units. */
export interface Facts {
  at: number
  /** Whether this is local play, whose chain mines a block only for a transaction. */
  isLocal: boolean
  /** Whether rounds take their pepper from drand. */
  hasBeacon: boolean
  table: ProbeResult<TableFacts>
  chain: ProbeResult<ChainFacts>
  relayer: ProbeResult<RelayerFacts>
  bankroll: ProbeResult<BankrollFacts>
  log: ProbeResult<LogFacts>
  exports: ProbeResult<ExportFacts>
  control: ProbeResult<ControlFacts>
  books: ProbeResult<BooksFacts>
  solvency: ProbeResult<SolvencyFacts>
  lootbox: ProbeResult<LootboxFacts>
  /** By id. */
  partners: Record<string, ProbeResult<PartnerFacts>>
  /** The objects with messages that they can't deliver. */
  stuck: StuckFacts
  /** How many problems the latest check of the configuration against the chain found. Null before the first. */
  configurationProblems: number | null
}

/** An object's answer; `off` if its feature isn't configured, `silent` if it did not answer. */
export type ProbeResult<T> = T | 'off' | 'silent'

/** An object's report on its storage. */
interface StorageFacts {
  /** The size of its database. */
  databaseBytes: number
}

export interface TableFacts extends StorageFacts {
  /** All rounds that have ended. */
  rounds: number
  voided: number
  /** Ended rounds with messages to deliver. */
  unswept: number
  /** When someone last looked at the table, within ten seconds; 0 before the first look. */
  lastReadAt: number
  /** Whether it opens rounds: operators may have closed it. */
  isOpen: boolean
  /** Since when no look at the table has found or opened a round; null if the latest one did. */
  failingSince: number | null
  newest: NewestRoundFacts | null
  /** The round after the newest; null if it isn't open. */
  current: OpenRound | null
}

/** The newest round that has ended. */
export interface NewestRoundFacts {
  kind: 'settled' | 'voided'
  endedAt: number
  resultsUntil: number
  /** The number of the beacon that it took its pepper from; null without one. */
  beacon: number | null
}

export type OpenRound = Pick<RoundView, 'stage' | 'takeoffAt'> &
  Pick<RoundView['plan'], 'openedAt' | 'flightAt' | 'voidAt'>

export interface ControlFacts extends StorageFacts {
  /** Wallets that are closed, or will be: by operators, or by the service because a ledger went back in time. */
  closedWallets: number
}

export interface ChainFacts extends StorageFacts {
  /** When the vault's events were last fully read and agreed with its totals, within a minute; null before that. */
  checkedAt: number | null
  /** The newest block then, of those with enough confirmations, and its timestamp. */
  block: number | null
  blockAt: number | null
  /** Deposits and funds that were read and have not reached their ledgers. */
  untold: number
}

/** Orders that have no confirmed transaction yet. */
export interface Backlog {
  count: number
  /** When the oldest was given; null without orders. */
  oldestAt: number | null
}

/** The chain's conditions at the relayer's latest reading. */
export interface SeenConditions {
  /** The market's price, or the most that the relayer pays if that is less. */
  gasPriceWei: string
  marketPriceWei: string
  /** Whether the vault is paused. */
  isPaused: boolean
  /** The relayer that the vault's owner has announced; null without one. */
  nextRelayer: NextRelayer | null
  /** The relayer's balance. */
  balanceWei: string
  /** The prize pool's balances, by asset, in smallest units; null without a lootbox. Stocks are bought when won. */
  poolWei: Record<'ETH' | 'REWARD', string> | null
  at: number
}

export interface RelayerFacts extends StorageFacts {
  withdrawals: Backlog
  prizes: Backlog
  /** Transactions that are not known to be mined. */
  unmined: number
  nextNonce: number
  /** Null before the first look at the chain. */
  seen: SeenConditions | null
  reserveWei: string
}

export interface BankrollFacts extends StorageFacts {
  /** When it was last counted; null before that. */
  countedAt: number | null
  /** When it was first counted; null before that. */
  firstCountedAt: number | null
  /** Whether the last count still counts. If not, no bet is accepted. */
  isValid: boolean
  doubt: Doubt | null
  /** At the last count. */
  wallets: number
  owedWei: PerToken<string>
  bankrollWei: PerToken<string>
  resultWei: PerToken<string>
  /** Null before the first. */
  reconciliation: ReconciliationFacts | null
}

/** The newest comparison of the vault with the ledgers. */
export interface ReconciliationFacts {
  at: number
  /** How much more the vault has than the ledgers say; negative if it has less. */
  driftWei: PerToken<string>
  /** Since when a token has had a drift; null without one. Opposite drifts may add up to zero. */
  driftingSince: PerToken<number | null>
}

export interface LogFacts extends StorageFacts {
  size: number
  /** Entries in tiles that were copied to the archive. */
  archived: number
  isForked: boolean
  /** Since when the archive has not answered; null if it did. */
  failingSince: number | null
}

export interface ExportFacts extends StorageFacts {
  /** The day to be exported next, as YYYY-MM-DD; null before the first call. */
  nextDay: string | null
  newestDay: string | null
}

export interface BooksFacts extends StorageFacts {
  /** The day to be counted next, as YYYY-MM-DD; null before the first call. */
  nextDay: string | null
  /** The newest day whose books are closed; null before the first. */
  newestDay: string | null
}

export interface SolvencyFacts {
  /** Null before the first count. */
  newest: Pick<Statement, 'epoch' | 'at' | 'leaves' | 'ratio'> | null
}

export interface LootboxFacts {
  /** Free spins taken today, and the day's limit. */
  spins: number
  spinDailyLimit: number
}

/**
 * A partner's credits, debits and new players of today, and its limits. Without a limit for all days it has neither
 * `debtWei`, which it owes the house, nor `maxDebtWei`.
 */
export type PartnerFacts = PerToken<{
  creditedWei: string
  debitedWei: string
  limitWei: string
  debtWei?: string
  maxDebtWei?: string
}> & {
  /** Players whose first movement was its credit, and the most of them a day. */
  newPlayers: number
  newPlayersPerDay: number
  /** The size of the database of one of the objects that share its ids evenly; null if that did not answer. */
  idsBytes: number | null
}

/** An object with messages that failed repeatedly. */
export interface StuckObject {
  class: string
  name: string
  messages: number
  /** In unix milliseconds. */
  since: number
}

export interface StuckFacts {
  objects: number
  messages: number
  /** When the first stuck message got stuck; null without stuck messages. */
  oldestAt: number | null
  byClass: Record<string, { objects: number; messages: number }>
}
