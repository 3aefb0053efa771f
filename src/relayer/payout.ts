import { DAY_MS } from '../core/utc-day.ts'
import type { Token } from '../money/token.ts'
import type { PrizeOrder } from './prize.ts'

/** An order for the relayer to pay a withdrawal. Plain values, because it crosses object calls. */
export interface WithdrawalOrder {
  kind: 'withdrawal'
  /** The chain and vault contract that the player's signature is for. */
  vaultId: string
  player: string
  token: Token
  amountWei: string
  nonce: number
  /** Empty for a payout that no ledger has ordered. */
  signature: string
  /** Whether the amount is below the minimum, so that a wallet's code gets little gas. */
  isSmall: boolean
}

/** Returns whether two orders pay the same. The signatures of one withdrawal may differ. */
export function isSamePayout(some: Order, other: WithdrawalOrder): boolean {
  return (
    some.kind === 'withdrawal' && some.token === other.token && some.amountWei === other.amountWei
  )
}

/** A withdrawal as the relayer knows it. */
export interface KnownWithdrawal {
  order: WithdrawalOrder
  /** Null before its end, and if operators have ended it. */
  outcome: 'confirmed' | 'failed' | null
  /** The last reported transaction; null if there was none. */
  txHash: string | null
  /** The number of the last report. */
  version: number
  /** The operators' act that has ended it, or has booked its payment after a refund; null without one. */
  closedBy: string | null
}

/** The house's winnings from players in a token so far, the most that the vault's owner may take. */
export interface ResultOrder {
  kind: 'result'
  vaultId: string
  token: Token
  /** In smallest units; negative for a loss. */
  resultWei: string
  /** When it was counted, in unix milliseconds. */
  at: number
}

/** The relayer's own order to use a nonce of its account that the chain lacks. Nobody waits for it. */
export interface CancelOrder {
  kind: 'cancel'
  vaultId: string
}

/** An order that the relayer executes. */
export type Order = WithdrawalOrder | ResultOrder | PrizeOrder | CancelOrder

/**
 * The work of an order's next transaction: pay a withdrawal, make it permanently unpayable, record the house's result,
 * have the pool pay a prize, or only use its nonce.
 */
export type OrderStep = 'withdraw' | 'burn' | 'record' | 'prize' | 'cancel'

export const WITHDRAWAL_STEPS: readonly OrderStep[] = ['withdraw', 'burn']
export const ORDER_STEPS: readonly OrderStep[] = [...WITHDRAWAL_STEPS, 'record', 'prize']

/** Why a payout waits for an operator, as an event of the service log. */
export type StuckCause =
  | 'payout_vault_not_configured'
  | 'relayer_needs_funding'
  | 'prize_not_payable'
  | 'result_refused'
  | 'vault_relayer_differs'
  | 'earlier_withdrawal_missing'
  | 'withdrawal_not_payable'
  | 'nonce_paid_otherwise'
  | 'nonce_use_unknown'

/**
 * Why a withdrawal rests: its wallet has used up its daily gas allowance, or transactions for it have failed. No
 * operator has to act.
 */
export const WASTES_GAS = 'wallet_wastes_gas'

/** Failed transactions count for this long. */
export const WASTED_MS = 30 * DAY_MS

const FIRST_REST_MS = 60_000
/** A wallet could waste the house's gas forever, while a prize may fail only because prices move. */
const LONGEST_REST_MS = { withdraw: 7 * DAY_MS, prize: 3_600_000 }

/**
 * Returns how long a prize, or a player's next withdrawal, waits after a number of failed transactions in
 * {@link WASTED_MS}.
 */
export function restMs(step: 'withdraw' | 'prize', wasted: number): number {
  return Math.min(FIRST_REST_MS * 2 ** (wasted - 1), LONGEST_REST_MS[step])
}

const FIRST_PAUSE_MS = 15_000
const LONGEST_PAUSE_MS = { withdraw: 3_600_000, prize: 300_000 }

/**
 * Returns how long an order that still can't be paid waits, in milliseconds: twice as long as before, within bounds.
 * @param pausedMs how long it waited before, for whatever reason
 */
export function pauseMs(step: 'withdraw' | 'prize', pausedMs: number): number {
  return Math.min(Math.max(FIRST_PAUSE_MS, 2 * pausedMs), LONGEST_PAUSE_MS[step])
}

/** The use of a player's nonce according to the vault's events, as needed to decide how a withdrawal ended. */
interface UsedNonce {
  kind: 'withdrawn' | 'burned'
  /** Null if nothing was paid, or if it was paid in a token that the vault does not hold. */
  token: Token | null
  amountWei: bigint | null
}

/**
 * Returns how a withdrawal ended once its nonce is used up on chain. Returns null if the vault's events don't decide
 * it, because they lack the nonce or show another payment: then only operators can.
 */
export function endByEvents(
  { token, amountWei }: Pick<WithdrawalOrder, 'token' | 'amountWei'>,
  use: UsedNonce | null,
): 'confirmed' | 'failed' | null {
  if (use === null) return null
  if (use.kind === 'burned') return 'failed'
  return use.token === token && use.amountWei === BigInt(amountWei) ? 'confirmed' : null
}
