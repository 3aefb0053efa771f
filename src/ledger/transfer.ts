import { isRefusal, refuse, type Refusal } from '../core/refusal.ts'
import type { Token } from '../money/token.ts'
import type { Posting } from './accounts.ts'
import type { DebitTerms } from './permission.ts'

/** What a partner's transaction or rollback asks of a player's ledger, under an id of the partner's. */
export interface TransferOrder {
  partner: string
  id: string
  token: Token
  limits: CreditLimits
}

/** Chips between a player and a partner. */
export interface Transaction extends TransferOrder {
  /** Below zero out of the player's chips, above zero into them, in smallest units. */
  amountWei: bigint
  /** The operator's terms for a debit. */
  terms: DebitTerms
}

/** Undoes a transaction, wholly or not at all. */
export interface Rollback extends TransferOrder {
  originalId: string
}

/** The most that a partner may credit, in smallest units. */
export interface CreditLimits {
  /** With one transaction. */
  transactionWei: bigint
  /** Less what it has debited, in one UTC day, over all its players. */
  dayWei: bigint
}

/** What a transaction or a rollback did: the facts that its answer is written from, also when it is repeated. */
export interface Transferred {
  ok: true
  /** How the answer is written: see `src/wallet-bridge/answers.ts`. */
  version: 1
  id: string
  token: Token
  /** The chips before and after it, in smallest units. */
  beforeWei: string
  afterWei: string
}

export type TransferAnswer = Transferred | Refusal

/** The operation that a partner's id stands for in a ledger. */
export function transferKey(partner: string, id: string): string {
  return `bridge:${partner}:${id}`
}

/** A transaction as canonical text: the same id with another text is a conflict. */
export function transactionText({ token, amountWei }: Pick<Transaction, 'token' | 'amountWei'>) {
  return JSON.stringify(['transaction', token, amountWei.toString()])
}

export function rollbackText({ token, originalId }: Pick<Rollback, 'token' | 'originalId'>) {
  return JSON.stringify(['rollback', token, originalId])
}

/** An amount between a player's chips and the partner; nothing where it is zero. */
export function transferPostings(token: Token, amountWei: bigint): Posting[] {
  if (amountWei === 0n) return []
  return amountWei < 0n
    ? [{ token, from: 'chips', to: 'partner', amountWei: (-amountWei).toString() }]
    : [{ token, from: 'partner', to: 'chips', amountWei: amountWei.toString() }]
}

/**
 * What a rollback moves: the opposite of a transaction that was carried out, nothing otherwise.
 * @param original the transaction as its ledger keeps it; null where it never came
 */
export function reversal(
  original: { request: string; result: TransferAnswer } | null,
  isUndone: boolean,
): bigint {
  if (!original || isUndone || isRefusal(original.result)) return 0n
  const [kind, , amountWei] = JSON.parse(original.request) as [string, Token, string]
  return kind === 'transaction' ? -BigInt(amountWei) : 0n
}

/** Refuses to take more chips than are there. */
export function checkChips(token: Token, amountWei: bigint, available: bigint): Refusal | null {
  if (available + amountWei >= 0n) return null
  const details = { available: available.toString(), required: (-amountWei).toString() }
  return refuse('insufficient_chips', `The player does not have that many ${token} chips.`, details)
}

/** Refuses a credit above what the partner may still credit. */
export function creditAbove(maxPayoutWei: bigint): Refusal {
  return refuse('payout_limit', 'The credit is above what this partner may credit now.', {
    maxPayout: maxPayoutWei.toString(),
  })
}

/** Not kept: the same call may be carried out later. */
export function notNow(reason: string): Refusal {
  return refuse('chain_unavailable', `${reason} Send the same call again.`)
}

export function usedOtherwise(id: string): Refusal {
  return refuse(
    'idempotency_conflict',
    `The id ${id} was used with other contents or for another player. Use a new id.`,
  )
}

export function rolledBack(id: string): Refusal {
  return refuse(
    'transaction_rolled_back',
    `The transaction ${id} was rolled back before it came. Nothing has moved and nothing will.`,
  )
}
