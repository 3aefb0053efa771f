import { isRefusal, refuse, type Refusal } from '../core/refusal.ts'
import { DAY_MS, dayAt } from '../core/utc-day.ts'
import type { Token } from '../money/token.ts'
import type { KnownModes } from '../operator/modes.ts'
import { postingsOf, type Posting } from './accounts.ts'
import type { DebitLimits } from './permission.ts'

/** A partner's transaction or rollback as passed to the player's ledger, under the partner's id. */
export interface TransferRequest {
  partner: string
  id: string
  token: Token
  limits: CreditLimits
  /** The hash of the terms of play in force. */
  terms: string
}

/** A movement of chips between a player and a partner. */
export interface PartnerTransaction extends TransferRequest {
  /** In smallest units: negative for a debit of the player's chips, positive for a credit. */
  amountWei: bigint
  /** The operator's limits for a debit. */
  debits: DebitLimits
  modes: KnownModes
}

/** Reverses a transaction, in full or not at all. */
export interface Rollback extends TransferRequest {
  originalId: string
  /** The operator's limits for a debit, which a late reversal is. */
  debits: DebitLimits
  modes: KnownModes
}

/** A partner's credit limits, in smallest units. */
export interface CreditLimits {
  /** Per transaction. */
  transactionWei: bigint
  /** Credits less debits in one UTC day, over all the partner's players. */
  dayWei: bigint
  /** Credits less debits of all days; negative if the partner has been paid more than it may owe. Null if unlimited. */
  totalWei: bigint | null
  /** The most players of one UTC day whose first movement may be its credit. */
  newPlayers: number
}

/** The effect of a transaction or rollback. Its answer, and every repetition of it, is written from these facts. */
export interface TransferResult {
  ok: true
  /** How the answer is written: see `src/wallet-bridge/answers.ts`. */
  version: 1
  id: string
  token: Token
  /** The chips before and after it, in smallest units. */
  beforeWei: string
  afterWei: string
}

export type TransferAnswer = TransferResult | Refusal

/** Returns a transaction's canonical text; reusing its id with another text is a conflict. */
export function transactionText({
  token,
  amountWei,
}: Pick<PartnerTransaction, 'token' | 'amountWei'>) {
  return JSON.stringify(['transaction', token, amountWei.toString()])
}

/** Returns whether a canonical text is that of a transaction, not of a rollback. */
export function isTransaction(request: string): boolean {
  return request.startsWith('["transaction",')
}

/** Returns a rollback's canonical text, used like {@link transactionText}. */
export function rollbackText({ token, originalId }: Pick<Rollback, 'token' | 'originalId'>) {
  return JSON.stringify(['rollback', token, originalId])
}

/** Returns the postings for an amount moved between a player and a partner; none if it is zero. */
export function transferPostings(token: Token, amountWei: bigint): Posting[] {
  return amountWei < 0n
    ? postingsOf(token, ['chips', 'partner', -amountWei])
    : postingsOf(token, ['partner', 'chips', amountWei])
}

/**
 * Returns a rollback's amount, in smallest units: the opposite of the transaction's, or zero if the
 * transaction was refused or already rolled back.
 * @param original the transaction as stored in the ledger; null if it never arrived
 */
export function reversal(
  original: { request: string; result: TransferAnswer } | null,
  isUndone: boolean,
): bigint {
  if (!original || isUndone || isRefusal(original.result)) return 0n
  const [kind, , amountWei] = JSON.parse(original.request) as [string, Token, string]
  return kind === 'transaction' ? -BigInt(amountWei) : 0n
}

/**
 * Returns whether a rollback takes a credit that a player has had for a day, which makes it a debit like any other.
 * @param movedWei the rollback's amount, in smallest units
 * @param creditedAt when the original was carried out, and `now`, in unix milliseconds
 */
export function isLateReversal(movedWei: bigint, creditedAt: number, now: number): boolean {
  return movedWei < 0n && now - creditedAt > DAY_MS
}

/**
 * Returns the days whose limit of credits may count a rollback, the preferred one first. For 24 hours that is the day
 * of its debit, which has the room that the debit made unless other credits have used it; otherwise today's.
 * @param originalAt when the original was carried out, if it was, and `now`, in unix milliseconds
 */
export function refundDays(originalAt: number | undefined, now: number): number[] {
  const isFresh = originalAt !== undefined && now - originalAt <= DAY_MS
  return [...new Set([...(isFresh ? [dayAt(originalAt)] : []), dayAt(now)])]
}

/** Returns the id that all rollbacks of one transaction share. No partner can use it. */
export function undoId(originalId: string): string {
  return `undo\n${originalId}`
}

/** The rule for a rollback that takes more chips than there are. */
export const ROLL_BACK_LATER = 'Once they have, roll the credit back under a new id.'

/** Refuses a debit, or a rollback of a credit, above the available chips. */
export function checkChips(
  token: Token,
  amountWei: bigint,
  available: bigint,
  advice = 'Debit a smaller amount under a new id.',
): Refusal | null {
  if (available + amountWei >= 0n) return null
  const details = { available: available.toString(), required: (-amountWei).toString() }
  const message = `The player does not have enough ${token} chips. ${advice}`
  return refuse('insufficient_chips', message, details)
}

/** Refuses a credit above the partner's remaining allowance. */
export function creditAbove(maxPayoutWei: bigint): Refusal {
  const message =
    'The credit exceeds your remaining allowance. Credit at most maxPayout, under a new id.'
  return refuse('payout_limit', message, { maxPayout: maxPayoutWei.toString() })
}

/**
 * Refuses a credit to a wallet whose chips have never moved, once the day's limit of new players is reached. Such a
 * refusal isn't stored.
 */
export const TOO_MANY_NEW_PLAYERS = refuse(
  'rate_limited',
  'You have credited too many new players today. Send the same call again tomorrow (UTC), or ask the operator for a higher limit.',
  { retryAfterSeconds: 3_600 },
)

/** Refuses for now. Such a refusal isn't stored, so the same call may succeed later. */
export function notNow(reason: string): Refusal {
  return refuse('chain_unavailable', `${reason} Send the same call again.`)
}

// Partners compare repeated answers byte for byte, so the two messages below must never change.

export function usedOtherwise(id: string): Refusal {
  return refuse(
    'idempotency_conflict',
    `The id ${id} was used with other contents or for another player. Use a new id.`,
  )
}

export function rolledBack(id: string): Refusal {
  return refuse(
    'transaction_rolled_back',
    `The transaction ${id} was rolled back before it arrived. Nothing has moved and nothing will.`,
  )
}
