import { TOKENS, type PerToken } from '../money/token.ts'
import type { AccountEvents } from './events.ts'

/** The sums of the vault's confirmed events. Amounts in smallest units. */
export interface VaultSums {
  /** Whether all confirmed events have been read. */
  isCurrent: boolean
  /** The last block that was read; its hash is null before the vault's first block. */
  block: number
  blockHash: string | null
  /** The number of players outside `recent` with a credited deposit. */
  settledPlayers: number
  /** Deposits and funding, less withdrawals by players and the house. */
  net: PerToken<bigint>
  /** Wallets (or the house) whose ledgers may not have reported yet. */
  recent: AccountEvents[]
  /** The others that were asked for. */
  others: AccountEvents[]
}

/** The sums of all other wallets' positions. Amounts in smallest units. */
export interface SettledPositions {
  /** The number of wallets that have ever deposited and have a position for each token. */
  depositors: number
  /** Net deposits of these wallets and the house into the vault. */
  vault: PerToken<bigint>
}

/**
 * Compares the positions with the vault's events.
 * Returns the problem, or null if the positions are complete. Their age doesn't matter: an idle
 * wallet's position is old but correct.
 */
export function problemOf(
  sums: Pick<VaultSums, 'settledPlayers' | 'net'> & {
    recent: readonly Pick<AccountEvents, 'wallet' | 'net'>[]
  },
  positions: SettledPositions,
): string | null {
  const { settledPlayers, net, recent } = sums
  if (positions.depositors < settledPlayers) {
    return `${positions.depositors} of ${settledPlayers} depositors have a position`
  }
  for (const token of TOKENS) {
    const settledWei = recent.reduce((rest, wallet) => rest - wallet.net[token], net[token])
    if (positions.vault[token] !== settledWei) {
      return `the positions hold ${positions.vault[token]} of ${token}, the vault's logs ${settledWei}`
    }
  }
  return null
}

/** Reasons for not trusting D1, each with its start in unix milliseconds or null if it doesn't apply. */
export interface Doubts {
  /** Heartbeat writes have failed since then, and other writes may be missing too. */
  failingSince: number | null
  /** The heartbeat was below the number kept outside D1: the database was lost or restored. */
  restoredAt: number | null
  /** The positions disagree with the vault's events, or a wallet is missing. */
  incompleteSince: number | null
}

/** How often the cron trigger has a heartbeat written. */
export const BEAT_EVERY_MS = 60_000
/** Without a heartbeat for this long, nothing shows that D1 still takes writes. */
export const SILENT_AFTER_MS = 3 * BEAT_EVERY_MS

/**
 * Returns whether no heartbeat has been written for minutes.
 * @param beat the time of the last one, in unix milliseconds; 0 before the first
 */
export function isSilent(beat: number, now: number): boolean {
  return beat > 0 && now - beat >= SILENT_AFTER_MS
}

/** Ledgers resend failed writes within five minutes of D1's recovery. One minute is spare. */
const CATCH_UP_MS = 360_000

/**
 * Returns since when D1 counts as failing, after a successful write: null, unless D1 was behind and the
 * ledgers haven't had time to resend their failed writes.
 * @param failedAt the time of the latest failed write, in unix milliseconds
 */
export function failingAfterSuccess(
  failingSince: number | null,
  failedAt: number | null,
  now: number,
): number | null {
  if (failingSince === null || failedAt === null) return null
  const wasBehind = failedAt - failingSince >= MAX_DOUBT_MS
  return wasBehind && now - failedAt < CATCH_UP_MS ? failingSince : null
}

export type Doubt = 'behind' | 'restored' | 'incomplete'

/** How long writes may fail before D1 counts as behind, and how long a doubted count remains valid. */
export const MAX_DOUBT_MS = 600_000

/** Returns why D1's positions can't be counted now, or null if they can. */
export function doubtOf(doubts: Doubts, now: number): Doubt | null {
  const { failingSince, restoredAt, incompleteSince } = doubts
  if (restoredAt !== null) return 'restored'
  if (failingSince !== null && now - failingSince >= MAX_DOUBT_MS) return 'behind'
  return incompleteSince === null ? null : 'incomplete'
}

/**
 * Returns whether every ledger has been able to send its position, so that none is missing or older than
 * planned. Stricter than {@link doubtOf}: ledgers wait before they repeat a failed write.
 * @param failedAt the time of the latest failed write, in unix milliseconds; null if none has failed
 */
export function areSent(doubts: Doubts, failedAt: number | null, now: number): boolean {
  const isCaughtUp = failedAt === null || now - failedAt >= CATCH_UP_MS
  return isCaughtUp && doubts.failingSince === null && doubtOf(doubts, now) === null
}

/**
 * Returns whether the last count of the bankroll is still valid. The count was right when it was made,
 * so it outlasts a doubt of less than ten minutes. After that the house's funds are unknown.
 */
export function isCountValid(doubts: Doubts, now: number): boolean {
  const { failingSince, restoredAt, incompleteSince } = doubts
  return [failingSince, restoredAt, incompleteSince].every(
    (since) => since === null || now - since < MAX_DOUBT_MS,
  )
}

/** While positions stay incomplete, all of them are sent again this often. */
const SEND_EVERY_MS = 3_600_000
/** They are first sent once the previous sending is this old. The last count stays valid for twice as long. */
const SEND_AFTER_MS = MAX_DOUBT_MS / 2

/**
 * Returns whether all positions are to be sent again, because they are incomplete.
 * @param startedAt when that was last begun, in unix milliseconds; null if never
 */
export function mustSendAgain(
  { incompleteSince }: Pick<Doubts, 'incompleteSince'>,
  startedAt: number | null,
  now: number,
): boolean {
  if (incompleteSince === null) return false
  if (startedAt === null) return true
  return now - startedAt >= (startedAt < incompleteSince ? SEND_AFTER_MS : SEND_EVERY_MS)
}
