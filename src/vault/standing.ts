import { TOKENS, type PerToken } from '../money/token.ts'

/** What the vault's confirmed logs come to. Amounts in smallest units. */
export interface Standing {
  /** Whether all confirmed logs have been read. */
  isCurrent: boolean
  /** Players outside `recent` whose deposit has been credited. */
  settledPlayers: number
  /** Deposited and funded, less what was withdrawn by players and by the house. */
  net: PerToken<bigint>
  /** Wallets, or the house, that a ledger may not have reported on yet, with their part of `net`. */
  recent: { wallet: string; net: PerToken<bigint> }[]
}

/** What the positions of all other wallets come to. Amounts in smallest units. */
export interface SettledPositions {
  /** Wallets with a position for each token that have ever deposited. */
  depositors: number
  /** What these wallets and the house have brought into the vault and not taken out. */
  vault: PerToken<bigint>
}

/**
 * Returns what is wrong with the positions, held against the vault's logs; null where they are complete.
 * A position's age does not matter: that of an idle wallet is old and true.
 */
export function problemOf(standing: Standing, positions: SettledPositions): string | null {
  const { settledPlayers, net, recent } = standing
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

/** Since when D1 has given a reason not to believe it, in unix milliseconds; null where it gives none. */
export interface Doubts {
  /** Writes of the heartbeat have failed since then, and what they held up may not have arrived. */
  failingSince: number | null
  /** Its heartbeat was found below the number kept outside: it has been lost or restored. */
  restoredAt: number | null
  /** Its positions do not agree with the vault's logs, or lack a wallet. */
  incompleteSince: number | null
}

/** Ledgers send what D1 did not take within five minutes after it takes writes again; a minute is spare. */
const CATCH_UP_MS = 360_000

/**
 * Returns since when D1 counts as failing after a write has succeeded: no longer, unless it was behind and
 * ledgers have not had the time to send what they could not.
 * @param failedAt when the latest write failed, in unix milliseconds
 */
export function failingAfterSuccess(
  failingSince: number | null,
  failedAt: number | null,
  now: number,
): number | null {
  if (failingSince === null || failedAt === null) return null
  const wasBehind = failedAt - failingSince >= PATIENCE_MS
  return wasBehind && now - failedAt < CATCH_UP_MS ? failingSince : null
}

export type Doubt = 'behind' | 'restored' | 'incomplete'

/** Writes may fail this long before D1 counts as behind, and the last count holds this long in doubt. */
export const PATIENCE_MS = 600_000

/** Returns why D1's positions are not to be counted now; null where they are. */
export function doubtOf(doubts: Doubts, now: number): Doubt | null {
  const { failingSince, restoredAt, incompleteSince } = doubts
  if (restoredAt !== null) return 'restored'
  if (failingSince !== null && now - failingSince >= PATIENCE_MS) return 'behind'
  return incompleteSince === null ? null : 'incomplete'
}

/**
 * Whether the last count of the bankroll still holds. It was right when it was made, so a doubt of less
 * than ten minutes changes nothing; after that nobody knows what the house can pay.
 */
export function isCountValid(doubts: Doubts, now: number): boolean {
  const { failingSince, restoredAt, incompleteSince } = doubts
  return [failingSince, restoredAt, incompleteSince].every(
    (since) => since === null || now - since < PATIENCE_MS,
  )
}
