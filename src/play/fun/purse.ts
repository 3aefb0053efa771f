import { refuse, type Refusal } from '../../core/refusal.ts'
import { commitmentOf } from '../../fairness/seed.ts'
import type { PayTerms } from '../../games/game.ts'
import { selectionOf, type Selection } from '../../games/games.ts'
import { shownEnd, shownGame, type MinesGame } from '../../games/mines/open.ts'
import { maxPicksOf } from '../../games/mines/rule.ts'
import {
  checkNonce,
  checkPayout,
  refuseTooEarly,
  type NextPlay,
  type StoredPlay,
} from '../../games/play-request.ts'
import { settle } from '../../games/play.ts'
import { checkAvailable, checkBounds } from '../../ledger/refusals.ts'
import { FUN } from '../../money/token.ts'
import type { FunBet, EndedBet } from './bets.ts'
import { FUN_LIMITS, GRANT_WEI } from './fun.ts'

/**
 * The rules of fun chips: no clock, no randomness, no I/O. The games are the service's own: a play has a seed that
 * was fixed, and committed to by its hash, before the player's client seed and choice.
 */

export type FunPlay = StoredPlay<typeof FUN>
type FunGame = MinesGame<typeof FUN>

/** A browser's stored fun chips, as JSON. Amounts are decimal text in smallest units. */
export interface Purse {
  chipsWei: string
  /** How often chips were granted: at the beginning and by each refill. */
  grants: number
  /** The number and the seed of the next play. The page shows the seed's hash only. */
  next: PlaySeed
  /** The open game of mines. */
  game: HeldGame | null
  /** The newest plays, newest first. */
  plays: FunPlay[]
  /** The bet in a crash round that hasn't ended. */
  bet: FunBet | null
  /** The newest ended bets, newest first. */
  bets: EndedBet[]
}

interface PlaySeed {
  nonce: number
  seed: string
}

interface HeldGame extends PlaySeed, PayTerms {
  nextSeedHash: string
  clientSeed: string
  amountWei: string
  mines: number
  maxPicks: number
  picked: number[]
  openedAt: number
}

/** The request for a new play or game. */
interface Stake extends PayTerms {
  amountWei: bigint
  clientSeed: string
  nonce: number
  minPlayMs: number
}

interface FunPlayRequest extends Stake {
  selection: Selection
}

interface FunGameRequest extends Stake {
  mines: number
}

/** The inputs of a step that aren't rules: the time, and 32 random bytes in hex for the next play. */
export interface Chance {
  at: number
  seed: string
}

/** The purse after a step, and the step's answer. */
export interface PurseTransition<Answer> {
  purse: Purse
  answer: Answer
}

const KEPT_PLAYS = 100

export function newPurse(seed: string): Purse {
  const none = { game: null, plays: [], bet: null, bets: [] }
  return { chipsWei: GRANT_WEI.toString(), grants: 1, next: { nonce: 0, seed }, ...none }
}

export function refilled(purse: Purse): Purse {
  return { ...moved(purse, GRANT_WEI), grants: purse.grants + 1 }
}

/** Returns the purse with more chips, or with fewer. */
export function moved(purse: Purse, changeWei: bigint): Purse {
  return { ...purse, chipsWei: (BigInt(purse.chipsWei) + changeWei).toString() }
}

/** Returns the commitment to the next play. */
export function commitmentIn({ next }: Purse): NextPlay {
  return { nonce: next.nonce, seedHash: commitmentOf(next.seed) }
}

export function openGameIn({ game }: Purse): FunGame | null {
  return game && shownGame(heldOf(game))
}

/** Plays once. The same play asked for again gets the same answer. */
export function play(
  purse: Purse,
  request: FunPlayRequest,
  chance: Chance,
): PurseTransition<FunPlay> | Refusal {
  const { selection, amountWei, clientSeed, nonce } = request
  if (nonce < purse.next.nonce) {
    const known = purse.plays.find((each) => each.nonce === nonce)
    return known && isSame(known, request) ? { purse, answer: known } : conflict(nonce)
  }
  const refusal =
    refusalOf(purse, request, chance.at) ??
    checkPayout({ ...request, ...FUN_LIMITS, selection }) ??
    checkAvailable(FUN, amountWei, BigInt(purse.chipsWei))
  if (refusal) return refusal
  const { seed } = purse.next
  const after = withNext(moved(purse, -amountWei), chance)
  const { seedHash: nextSeedHash } = commitmentIn(after)
  const draw = { seed, seedHash: commitmentOf(seed), clientSeed, nonce }
  const settled = settle(selection, { token: FUN, amountWei }, draw, request)
  return paid(after, { ...settled, nextSeedHash, settledAt: chance.at })
}

/** Opens a game of mines under the next play's commitment. */
export function openGame(
  purse: Purse,
  request: FunGameRequest,
  chance: Chance,
): PurseTransition<FunGame> | Refusal {
  const { amountWei, clientSeed, nonce, mines, edgeBps, tables } = request
  const { game } = purse
  if (game) {
    const isSameStake = game.mines === mines && game.amountWei === amountWei.toString()
    const isAgain = game.nonce === nonce && isSameStake && game.clientSeed === clientSeed
    if (isAgain) return { purse, answer: shownGame(heldOf(game)) }
    const message = 'Your game of mines is open. End it first.'
    return refuse('game_open', message, { nonce: game.nonce })
  }
  if (nonce < purse.next.nonce) return conflict(nonce)
  const selection = { game: 'mines' as const, params: { mines, picked: [0] } }
  const refusal =
    refusalOf(purse, request, chance.at) ??
    checkPayout({ ...request, ...FUN_LIMITS, selection }) ??
    checkAvailable(FUN, amountWei, BigInt(purse.chipsWei))
  if (refusal) return refusal
  const after = withNext(moved(purse, -amountWei), chance)
  const opened: HeldGame = {
    nonce,
    seed: purse.next.seed,
    nextSeedHash: commitmentIn(after).seedHash,
    clientSeed,
    amountWei: amountWei.toString(),
    mines,
    picked: [],
    edgeBps,
    tables,
    maxPicks: maxPicksOf({ ...request, ...FUN_LIMITS }),
    openedAt: chance.at,
  }
  return { purse: { ...after, game: opened }, answer: shownGame(heldOf(opened)) }
}

interface GameStep {
  game: FunGame
  hit: boolean
  play: FunPlay | null
}

/** Picks a tile. A mine ends the game, and so does the last pick, which cashes it out. */
export function pick(
  purse: Purse,
  { nonce, tile, at }: { nonce: number; tile: number; at: number },
): PurseTransition<GameStep> | Refusal {
  const { game } = purse
  if (game?.nonce !== nonce) return noOpenGame(nonce)
  if (game.picked.includes(tile)) {
    return { purse, answer: { game: shownGame(heldOf(game)), hit: false, play: null } }
  }
  const after = { ...game, picked: [...game.picked, tile] }
  const ended = playOf(after, at)
  if (ended.win && after.picked.length < game.maxPicks) {
    const answer = { game: shownGame(heldOf(after)), hit: false, play: null }
    return { purse: { ...purse, game: after }, answer }
  }
  const hit = !ended.win
  const answer = { game: shownEnd(heldOf(after), hit), hit, play: ended }
  return { purse: paid({ ...purse, game: null }, ended).purse, answer }
}

/** Ends the open game after one pick or more, and pays it. */
export function cashOutGame(
  purse: Purse,
  nonce: number,
  at: number,
): PurseTransition<FunPlay> | Refusal {
  const { game } = purse
  if (game?.nonce !== nonce) {
    const known = purse.plays.find((each) => each.nonce === nonce && each.game === 'mines')
    return known?.win ? { purse, answer: known } : noOpenGame(nonce)
  }
  if (game.picked.length === 0) {
    return refuse('invalid_request', 'Pick a tile before you cash out.')
  }
  return paid({ ...purse, game: null }, playOf(game, at))
}

/** Checks a new play's number, its time and its stake. */
function refusalOf({ next, plays }: Purse, stake: Stake, at: number): Refusal | null {
  const mayPlayFrom = (plays[0]?.settledAt ?? 0) + stake.minPlayMs
  return (
    (at < mayPlayFrom ? refuseTooEarly(mayPlayFrom) : null) ??
    checkNonce(stake.nonce, next.nonce) ??
    checkBounds(stake.amountWei, FUN_LIMITS)
  )
}

function isSame(known: FunPlay, { selection, amountWei, clientSeed }: FunPlayRequest): boolean {
  const text = (choice: Selection) => JSON.stringify([choice.game, Object.entries(choice.params)])
  return (
    text(selectionOf(known)) === text(selection) &&
    known.amount === amountWei.toString() &&
    known.clientSeed === clientSeed
  )
}

function withNext(purse: Purse, { seed }: Chance): Purse {
  return { ...purse, next: { nonce: purse.next.nonce + 1, seed } }
}

/** Pays a settled play, whose stake has been taken. */
function paid(purse: Purse, settled: FunPlay): PurseTransition<FunPlay> {
  const plays = [settled, ...purse.plays].slice(0, KEPT_PLAYS)
  return { purse: { ...moved(purse, BigInt(settled.payout)), plays }, answer: settled }
}

function heldOf(game: HeldGame) {
  return { ...game, token: FUN, amountWei: BigInt(game.amountWei) } as const
}

/** Returns the play that a game ends as with its picks. */
function playOf(game: HeldGame, at: number): FunPlay {
  const { seed, nextSeedHash, clientSeed, nonce, mines, picked } = game
  const held = heldOf(game)
  const draw = { seed, seedHash: commitmentOf(seed), clientSeed, nonce }
  const settled = settle({ game: 'mines', params: { mines, picked } }, held, draw, game)
  return { ...settled, nextSeedHash, settledAt: at }
}

function conflict(nonce: number): Refusal {
  const message = `Play ${nonce} was already made, with another choice.`
  return refuse('idempotency_conflict', message, { nonce })
}

function noOpenGame(nonce: number): Refusal {
  return refuse('no_open_game', `You have no open game of mines with the number ${nonce}.`)
}
