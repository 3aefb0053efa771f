import { OBJECT_CLOCK_SKEW_MS } from '../core/age.ts'
import { min } from '../core/bigint.ts'
import type { PerToken, Token } from '../money/token.ts'
import type { FreshEvent } from '../vault/events.ts'

/** One ledger's amounts by its latest position, in smallest units. */
export interface AccountPosition {
  /** Its net deposits into the vault. */
  vault: PerToken<bigint>
  /** Set aside for withdrawals that the ledger does not know to be paid. */
  withdrawing: PerToken<bigint>
  /** The nonce of its next withdrawal. */
  nextNonce: number
  /** How many of its newest withdrawals have not ended. */
  openWithdrawals: number
  /** When its ledger read it, in unix milliseconds. */
  at: number
}

/** By how much a position may rightly lag behind its account's events, in smallest units; payouts are negative. */
interface Lack {
  least: bigint
  most: bigint
}

/**
 * Returns the amounts of its account's events in a token that a position may rightly lack. Only an event that was
 * reported to the ledger around the time of its position may be in it or not. Payouts are in it or not by their nonces.
 * @param position null for an account without one
 */
export function lackOf(
  fresh: readonly FreshEvent[],
  position: AccountPosition | null,
  token: Token,
): Lack {
  const events = fresh.filter((event) => event.token === token)
  const payouts = events.filter(({ kind }) => kind === 'withdrawn')
  const lackedWei = -lackedPayouts(payouts, position, token)
  const found = { least: lackedWei, most: lackedWei }
  for (const event of events) {
    const lacks = event.kind === 'withdrawn' ? 'no' : lacksMovement(event, position)
    const amountWei = event.kind === 'house-withdrawn' ? -event.amountWei : event.amountWei
    if (lacks === 'yes' || (lacks === 'perhaps' && amountWei < 0n)) found.least += amountWei
    if (lacks === 'yes' || (lacks === 'perhaps' && amountWei > 0n)) found.most += amountWei
  }
  return found
}

/** Returns whether a position lacks an event that the watch has reported to its ledger, or has yet to report. */
function lacksMovement(
  { seenAt, toldAt, isRepeated }: FreshEvent,
  position: AccountPosition | null,
): 'yes' | 'no' | 'perhaps' {
  if (position === null) return 'yes'
  const { at } = position
  if (toldAt !== null && toldAt < at - OBJECT_CLOCK_SKEW_MS) return 'no'
  return seenAt > at + OBJECT_CLOCK_SKEW_MS && !isRepeated ? 'yes' : 'perhaps'
}

/**
 * Returns the payouts that a position lacks, as a positive amount: those of its open withdrawals, whenever they were
 * paid, and later ones that are recent. A payout of another amount than the open withdrawal's is not its own.
 */
function lackedPayouts(
  payouts: readonly FreshEvent[],
  position: AccountPosition | null,
  token: Token,
): bigint {
  const { nextNonce = 0, openWithdrawals = 0 } = position ?? {}
  const setAsideWei = position?.withdrawing[token] ?? 0n
  const sumOf = (isLacked: (nonce: number, log: FreshEvent) => boolean) =>
    payouts
      .filter((log) => log.nonce !== null && isLacked(log.nonce, log))
      .reduce((sum, { amountWei }) => sum + amountWei, 0n)
  const openWei = sumOf((nonce, { amountWei }) => {
    const isOpen = nonce < nextNonce && nonce >= nextNonce - openWithdrawals
    // Several are open only if a reorganisation has undone a payout.
    return isOpen && (openWithdrawals > 1 || amountWei === setAsideWei)
  })
  const laterWei = sumOf((nonce, { isRecent }) => nonce >= nextNonce && isRecent)
  return min(openWei, setAsideWei) + laterWei
}
