import type { NextPlay } from '../../games/play-request.ts'
import { verifyAsked, type AskedPlay, type SeenPlay } from '../../verify/play.ts'
import { fail, type Failure, type Problem } from '../api.ts'
import { FUN_WALLET } from '../fun/fun.ts'
import { keepNewest, kept, kindFor } from '../keepsakes.ts'
import type { ShownGame, ShownPlay } from './desk.ts'

/** This browser's evidence on a play, to hold the house to it. */

/** Returns the evidence on a play and the requests sent for it; null if nothing is kept. */
export function seenOf(wallet: string, nonce: number): SeenPlay | null {
  return kept(kindFor('plays', wallet === FUN_WALLET), idOf(wallet, nonce))
}

/**
 * Keeps a request for a play and the first commitment seen for its number.
 * @returns all evidence on the play
 */
export function keepAsked(
  wallet: string,
  { nonce, seedHash }: NextPlay,
  request: AskedPlay,
): SeenPlay {
  const known = seenOf(wallet, nonce)
  const others = known?.asked?.filter((each) => !isSame(each, request)) ?? []
  const again = known?.asked?.find((each) => isSame(each, request) && !each.isRefused)
  const asked = { ...request, askedAt: again?.askedAt ?? Date.now() }
  const seen = {
    seedHash: known?.seedHash ?? seedHash,
    asked: [...others, asked],
    ...(known?.picked && { picked: known.picked }),
    ...(known?.opened && { opened: known.opened }),
  }
  // Earlier requests that weren't kept stay unknown.
  const isWhole = !known || known.asked !== undefined
  keepSeen(wallet, nonce, isWhole ? seen : withoutAsked(seen))
  return seen
}

/**
 * Keeps the evidence on a play, without its requests if they don't fit: only all of them can show that none was
 * settled.
 */
function keepSeen(wallet: string, nonce: number, seen: SeenPlay): void {
  const [kind, id] = [kindFor('plays', wallet === FUN_WALLET), idOf(wallet, nonce)]
  if (!keepNewest(kind, id, seen)) keepNewest(kind, id, withoutAsked(seen))
}

function withoutAsked({ asked: _asked, ...seen }: SeenPlay): SeenPlay {
  return seen
}

/** Failures after which the house may have taken the request all the same. */
const UNCERTAIN: Problem['code'][] = ['unreachable', 'internal']

/**
 * Keeps that the house has refused a request. That speaks for every time it was sent, since a request that was taken
 * is answered with its play when it is repeated.
 */
export function keepRefusal(
  wallet: string,
  nonce: number,
  request: AskedPlay,
  { error }: Failure,
): void {
  const seen = seenOf(wallet, nonce)
  if (!seen?.asked || UNCERTAIN.includes(error.code)) return
  const asked = seen.asked.map((each) =>
    isSame(each, request) ? { ...each, isRefused: true } : each,
  )
  keepSeen(wallet, nonce, { ...seen, asked })
}

/** Keeps a tile that was picked in a game opened here. */
export function keepPick(wallet: string, nonce: number, tile: number): void {
  const seen = seenOf(wallet, nonce)
  if (!seen) return
  const picked = [...new Set([...(seen.picked ?? []), tile])]
  keepSeen(wallet, nonce, { ...seen, picked })
}

/** Keeps the end that the first answer of a game named. A later one could name an end that suits the house. */
export function keepOpened(wallet: string, { nonce, openedAt, maxPicks }: ShownGame): void {
  const seen = seenOf(wallet, nonce)
  if (!seen?.opened) keepSeen(wallet, nonce, { ...seen, opened: { openedAt, maxPicks } })
}

/** Keeps with which step a game of mines ended. @returns everything that is known of the game */
export function keepEnd(wallet: string, nonce: number, ended: number | 'cash-out'): SeenPlay {
  const seen = { ...seenOf(wallet, nonce), ended }
  keepSeen(wallet, nonce, seen)
  return seen
}

/** Returns how a settled play differs from the requested one; null if it doesn't. */
export function differenceOf(
  play: ShownPlay,
  nonce: number,
  seen: SeenPlay | null,
): Failure | null {
  const isAsked = { claim: `it is play ${nonce}`, holds: play.nonce === nonce }
  const broken = [isAsked, ...verifyAsked(play, seen ?? {})].find(({ holds }) => !holds)
  return broken
    ? fail(
        'unverified',
        `The answer doesn’t match your play. This check failed: ${broken.claim}. Open Verify and save the proof of play ${nonce} as evidence.`,
      )
    : null
}

function idOf(wallet: string, nonce: number): string {
  return `${wallet}/${nonce}`
}

function isSame(a: AskedPlay, b: AskedPlay): boolean {
  return textOf(a) === textOf(b)
}

function textOf({ isRefused: _isRefused, askedAt: _askedAt, ...request }: AskedPlay): string {
  return JSON.stringify(request)
}
