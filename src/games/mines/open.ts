import { refuse, type Refusal } from '../../core/refusal.ts'
import { DAY_MS, HOUR_MS } from '../../core/utc-day.ts'
import { commitmentOf } from '../../fairness/seed.ts'
import { postingsOf, type Posting } from '../../ledger/accounts.ts'
import type { HeldGame } from '../../ledger/head.ts'
import { checkAvailable, checkBounds } from '../../ledger/refusals.ts'
import { scaleDown, showDown, type Rational } from '../../money/rational.ts'
import type { Token, Unit } from '../../money/token.ts'
import { checkNonce, checkPayout, checkTerms, type StakeRequest } from '../play-request.ts'
import { SHOWN_DECIMALS } from '../play.ts'
import { maxPicksOf, safePicksMultiplier } from './rule.ts'

/** Mines picked tile by tile, under one commitment. */

/** A game that its player leaves is cashed out this long after it opened. */
export const MAX_OPEN_MS = DAY_MS
/** The longest that a game lasts: the alarm that cashes it out may be late. */
export const LONGEST_GAME_MS = MAX_OPEN_MS + HOUR_MS
/** The latest that a game is recorded after it opened: if its alarm is lost, the daily export ends it. */
export const LATEST_END_MS = LONGEST_GAME_MS + DAY_MS

/** The router's request to a ledger to open a game. */
export interface OpenRequest extends StakeRequest {
  /** The number of mines. */
  mines: number
  /** The pick that ends the game, as its player asks for it; null for the last one that the limits allow. */
  maxPicks: number | null
}

/** A game as its player sees it. It reveals nothing about tiles that are not picked. */
export interface MinesGame<U extends Unit = Token> {
  nonce: number
  seedHash: string
  nextSeedHash: string
  clientSeed: string
  token: U
  amountWei: string
  /** The number of mines. */
  mines: number
  /**
   * The pick that ends the game: as asked for, or because a further one could pay more than the limit or no safe tile
   * is left.
   */
  maxPicks: number
  /** In the order picked. */
  picked: number[]
  /** The payout of a cash-out now, as a multiple of the stake; 0 once a mine is hit. */
  multiplier: number
  /** The multiplier after one more safe pick; null if the game has ended. */
  next: number | null
  /** The payout so far, in smallest units. */
  payout: string
  openedAt: number
}

/** The facts behind a game's view for its owner. */
type OpenGame<U extends Unit> = Omit<HeldGame, 'token' | 'terms' | 'tables'> & { token: U }

/** Returns a request to open a game as canonical text. The same nonce with another text is a conflict. */
export function openText({ token, amountWei, mines, clientSeed, maxPicks }: OpenRequest): string {
  const asked = maxPicks === null ? [] : [maxPicks]
  return JSON.stringify([mines, token, amountWei.toString(), clientSeed, ...asked])
}

/**
 * Checks a new game against its number, the bounds, the payout limit of its first pick and of the last one that its
 * player asks for, and the chips, in this order.
 */
export function checkOpen(
  request: OpenRequest,
  nextNonce: number,
  available: bigint,
): Refusal | null {
  const { token, amountWei, nonce, mines } = request
  const selection = { game: 'mines' as const, params: { mines, picked: [0] } }
  return (
    checkNonce(nonce, nextNonce) ??
    checkTerms(request) ??
    checkBounds(amountWei, request) ??
    checkPayout({ ...request, selection }) ??
    checkPicks(request) ??
    checkAvailable(token, amountWei, available)
  )
}

function checkPicks(request: OpenRequest): Refusal | null {
  const most = maxPicksOf(request)
  if ((request.maxPicks ?? 0) <= most) return null
  const message = `With this stake, a game has at most ${most} picks. Open it with that, or bet less.`
  const details = { maxPayout: request.maxPayout.toString(), maxPicks: most }
  return refuse('payout_limit', message, details)
}

/** Refuses a second open game. */
export function refuseOpenGame({ nonce }: HeldGame): Refusal {
  const message = `Your game of mines with the nonce ${nonce} is open. End it first.`
  return refuse('game_open', message, { nonce })
}

/** Returns a game's payout after its picks so far, in smallest units, rounded down. */
export function heldPayoutOf(
  game: Pick<HeldGame, 'amountWei' | 'mines' | 'edgeBps' | 'picked'>,
): bigint {
  return scaleDown(game.amountWei, multiplierOf(game, game.picked.length))
}

/** Holds the stake in play. */
export function openPostings({ token, amountWei }: HeldGame): Posting[] {
  return postingsOf(token, ['chips', 'in_play', amountWei])
}

/** Moves the amount that a safe pick adds to the game's held payout; negative if the edge exceeds that gain. */
export function pickPostings(before: HeldGame, after: HeldGame): Posting[] {
  const rise = heldPayoutOf(after) - heldPayoutOf(before)
  return rise < 0n
    ? postingsOf(before.token, ['in_play', 'house', -rise])
    : postingsOf(before.token, ['house', 'in_play', rise])
}

/**
 * Takes back the game's held payout and records the game as one play, so that it counts as such: the stake to the house
 * and the payout from it. Without a pick the stake only returns.
 * @param picks the number of all picks, with the last one
 * @param payout in smallest units
 */
export function endPostings(held: HeldGame, picks: number, payout: bigint): Posting[] {
  const { token, amountWei } = held
  const rise = heldPayoutOf(held) - amountWei
  const returned = postingsOf(
    token,
    rise < 0n ? ['house', 'in_play', -rise] : ['in_play', 'house', rise],
    ['in_play', 'chips', amountWei],
  )
  if (picks === 0) return returned
  return [
    ...returned,
    ...postingsOf(token, ['chips', 'house', amountWei], ['house', 'chips', payout]),
  ]
}

/** Returns an open game as its player sees it. */
export function shownGame<U extends Unit>(game: OpenGame<U>): MinesGame<U> {
  return { ...shownParts(game), ...standingOf(game, false) }
}

/** Returns a game that has ended, with all of its picks. */
export function shownEnd<U extends Unit>(game: OpenGame<U>, isLost: boolean): MinesGame<U> {
  return { ...shownParts(game), ...standingOf(game, isLost), next: null }
}

/** Returns where a game stands after its picks so far. */
export function standingOf(
  game: Pick<HeldGame, 'amountWei' | 'mines' | 'maxPicks' | 'picked' | 'edgeBps'>,
  isLost: boolean,
): Pick<MinesGame, 'multiplier' | 'next' | 'payout'> {
  if (isLost) return { multiplier: 0, next: null, payout: '0' }
  const { length } = game.picked
  return {
    multiplier: shown(multiplierOf(game, length)),
    next: length < game.maxPicks ? shown(multiplierOf(game, length + 1)) : null,
    payout: heldPayoutOf(game).toString(),
  }
}

function shownParts<U extends Unit>(game: OpenGame<U>) {
  const { nonce, nextSeedHash, clientSeed, token, mines, maxPicks, picked, openedAt } = game
  const commitments = { seedHash: commitmentOf(game.seed), nextSeedHash, clientSeed }
  const amountWei = game.amountWei.toString()
  return { nonce, ...commitments, token, amountWei, mines, maxPicks, picked: [...picked], openedAt }
}

function shown(multiplier: Rational): number {
  return showDown(multiplier, SHOWN_DECIMALS)
}

function multiplierOf(game: Pick<HeldGame, 'mines' | 'edgeBps'>, picks: number): Rational {
  return safePicksMultiplier(game.mines, picks, game)
}
