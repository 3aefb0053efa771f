import { refuse, type Refusal } from '../core/refusal.ts'
import { postingsOf, type Posting } from '../ledger/accounts.ts'
import { checkAvailable, checkBounds, type StakeBounds } from '../ledger/refusals.ts'
import { scaleDown } from '../money/rational.ts'
import type { PerToken, Token, Unit } from '../money/token.ts'
import type { KnownModes } from '../operator/modes.ts'
import type { PayTerms } from './game.ts'
import type { GameName, Selection } from './games.ts'
import { bestMultiplier, largestStake, type SettledPlay } from './play.ts'

/** The common part of the router's requests to a ledger for a play and for a game. */
export interface StakeRequest extends PayTerms, StakeBounds {
  token: Token
  amountWei: bigint
  clientSeed: string
  /** The play's number; null for the next play. */
  nonce: number | null
  maxPayout: bigint
  /** The hash of the terms of play in force. */
  terms: string
  /** The hash of the terms that the player has seen; null to play by any. */
  seenTerms: string | null
  /** The least time since the wallet's last play, in milliseconds. */
  minPlayMs: number
  modes: KnownModes
}

/** The router's request to a ledger for a play. */
export interface PlayRequest extends StakeRequest {
  selection: Selection
}

/** A settled play as its ledger answers it, every time. */
export type StoredPlay<U extends Unit = Token> = SettledPlay<GameName, U> & {
  /** The commitment of the play after this one. */
  nextSeedHash: string
  settledAt: number
}

export type FeedPlay<U extends Unit = Token> = StoredPlay<U> & {
  wallet: string
}

/** The next play's number and the commitment it will be settled under. */
export interface NextPlay {
  nonce: number
  seedHash: string
}

export type PlayAnswer = StoredPlay & {
  ok: true
  me: { chips: PerToken<string> }
  receipt?: string
}

/**
 * Checks a new play against its number, the terms that its player has seen, the bounds, the payout limit and the chips,
 * in this order.
 */
export function checkPlay(
  request: PlayRequest,
  nextNonce: number,
  available: bigint,
): Refusal | null {
  const { token, amountWei, nonce } = request
  return (
    checkNonce(nonce, nextNonce) ??
    checkTerms(request) ??
    checkBounds(amountWei, request) ??
    checkPayout(request) ??
    checkAvailable(token, amountWei, available)
  )
}

/** Checks that a play has the next number, or leaves it open. */
export function checkNonce(nonce: number | null, nextNonce: number): Refusal | null {
  if (nonce === null || nonce === nextNonce) return null
  const details = { expected: nextNonce }
  return refuse('nonce_mismatch', `Your next play has the nonce ${nextNonce}.`, details)
}

/** Checks that the terms in force are those that the player has seen. */
export function checkTerms({
  terms,
  seenTerms,
}: Pick<StakeRequest, 'terms' | 'seenTerms'>): Refusal | null {
  if (seenTerms === null || seenTerms === terms) return null
  const message = 'The terms of play have changed. Check the edge and the limits, then play again.'
  return refuse('terms_changed', message, { terms })
}

/** Checks that the best outcome of a selection stays within the payout limit. */
export function checkPayout(
  request: PayTerms & StakeBounds & Pick<PlayRequest, 'selection' | 'amountWei' | 'maxPayout'>,
): Refusal | null {
  const { selection, amountWei, min, max, maxPayout } = request
  if (scaleDown(amountWei, bestMultiplier(selection, request)) <= maxPayout) return null
  const largest = largestStake(selection, maxPayout, request) ?? max
  const details = { maxPayout: maxPayout.toString(), maxAmountWei: largest.toString() }
  const advice =
    largest < min
      ? 'This selection can win more than the limit at any stake; choose a safer one.'
      : 'This selection could win more than maxPayout. Bet at most maxAmountWei with it.'
  return refuse('payout_limit', advice, details)
}

/** Refuses a play too soon after the last one. @param from when the next one may be made, in unix milliseconds */
export function refuseTooEarly(from: number): Refusal {
  return refuse('too_early', 'You are playing faster than this site allows. Wait a moment.', {
    from,
  })
}

/** Moves the stake to the house and the payout from it. */
export function playPostings({ token, amount, payout }: SettledPlay): Posting[] {
  const staked: Posting = { token, from: 'chips', to: 'house', amountWei: amount }
  return [staked, ...postingsOf(token, ['house', 'chips', payout])]
}
