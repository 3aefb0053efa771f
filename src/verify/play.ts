import { checkSeen, type Check } from '../fairness/check.ts'
import { commits, isSecret } from '../fairness/seed.ts'
import type { PayTerms } from '../games/game.ts'
import {
  isPaidByTables,
  selectionOf,
  specOf,
  wireParams,
  type GameName,
  type Result,
} from '../games/games.ts'
import type { MinesGame } from '../games/mines/open.ts'
import { settle, type SettledPlay } from '../games/play.ts'
import type { Unit } from '../money/token.ts'

/** The commitment and the requests from before the play, to hold the house to them. */
export interface SeenPlay {
  seedHash?: string
  /** The one the player sent. */
  clientSeed?: string
  /** Each request that the player sent under this number. Any of them may have been settled, unless it was refused. */
  asked?: AskedPlay[]
  /** The tiles that the player picked one by one. */
  picked?: number[]
  /** When their game opened, and the pick that ends it, as first answered. */
  opened?: Pick<MinesGame, 'openedAt' | 'maxPicks'>
  /** The step that the house answered with the end of a game of mines: the tile picked, or the cash-out. */
  ended?: number | 'cash-out'
}

/** A request for a play, with the edge and the pay tables shown before it. */
export interface AskedPlay extends PayTerms {
  game: GameName
  /** In wire form. Without the tiles if they are picked one by one. */
  params: object
  token: Unit
  amountWei: string
  clientSeed: string
  /** The pick that ends a game of mines, as asked for. */
  maxPicks?: number
  /** When it was first sent, in unix milliseconds by the player's clock. */
  askedAt?: number
  /** Set once the house has refused it. Without an answer it may have been taken. */
  isRefused?: boolean
}

/**
 * Checks everything a disclosed play claims: the house's commitment, the outcome that follows from
 * both seeds, and the payout. Stake and choice are taken from the play itself, and compared with the
 * player's requests if these are known.
 */
export function verifyPlay(play: SettledPlay<GameName, Unit>, seen: SeenPlay = {}): Check[] {
  const { token, amount, tables, seed, seedHash, nonce } = play
  const settled = settle(selectionOf(play), { token, amountWei: BigInt(amount) }, play, play)
  const by = isPaidByTables(play.game) ? ` by pay tables ${tables}` : ''
  return [
    { claim: `the seed matches its seed hash ${seedHash}`, holds: commits(seedHash, seed) },
    {
      claim: `seed, client seed and nonce ${nonce} give ${drawOf(settled)}`,
      holds: isSecret(seed) && isSameMeta(settled.meta, play.meta),
    },
    {
      claim: `it pays ${settled.multiplier}x${by}, or ${settled.payout} in smallest units, from the exact multiplier and rounded down`,
      holds:
        settled.multiplier === play.multiplier &&
        settled.payout === play.payout &&
        settled.win === play.win,
    },
    ...verifyAsked(play, seen),
  ]
}

/** Checks that a play matches the player's requests and the commitment that they saw. Recomputes nothing. */
export function verifyAsked(play: SettledPlay<GameName, Unit>, seen: SeenPlay): Check[] {
  const { seedHash, clientSeed } = play
  return [
    ...checkSeen('its seed hash is the one you saw before you played', seedHash, seen.seedHash),
    ...checkSeen('its client seed is the one you sent', clientSeed, seen.clientSeed),
    ...(seen.asked && !isPlayedElsewhere(play, seen)
      ? checkRequests(play, { ...seen, asked: seen.asked })
      : []),
    ...(seen.ended === undefined ? [] : [checkEnd(play, seen.ended, seen.opened)]),
  ]
}

/**
 * Checks that a game of mines ended as its player ended it. A house could add a mine to the picks of a cash-out, or
 * cash the game out with a safe pick.
 */
function checkEnd(
  play: SettledPlay<GameName, Unit>,
  ended: number | 'cash-out',
  opened: SeenPlay['opened'],
): Check {
  if (ended === 'cash-out') return { claim: 'you cashed it out, so it is won', holds: play.win }
  const { mines, picked } = play.game === 'mines' ? play.meta : { mines: [], picked: [] }
  const isLast = !opened || picked.length === opened.maxPicks
  const holds = picked.at(-1) === ended && (mines.includes(ended) || (play.win && isLast))
  const last = opened && play.win ? ` as the last of ${opened.maxPicks}` : ''
  return { claim: `it ended with your pick of tile ${ended}${last}`, holds }
}

/**
 * Returns whether a play isn't one of the requests kept here, all of which the house refused. A wallet may play this
 * number on another device meanwhile, so the requests claim nothing then. A house that refuses falsely, and settles
 * the number with a client seed of its own, looks the same from here: only the player knows of another device. An
 * unanswered request stays a claim, since the house may have settled it.
 */
export function isPlayedElsewhere(
  { clientSeed }: Pick<SettledPlay<GameName, Unit>, 'clientSeed'>,
  { asked = [] }: SeenPlay,
): boolean {
  const isRefused = (each: AskedPlay) => each.isRefused === true && each.clientSeed !== clientSeed
  return asked.length > 0 && asked.every(isRefused)
}

function checkRequests(
  play: SettledPlay<GameName, Unit>,
  { asked, picked = [], opened }: SeenPlay & Required<Pick<SeenPlay, 'asked'>>,
): Check[] {
  const { clientSeed } = play
  const seeded = asked.filter((each) => each.clientSeed === clientSeed)
  const chosen = seeded.filter((each) => isSameOrder(each, play))
  const lastPicks = chosen.flatMap(({ maxPicks }) => maxPicks ?? [])
  const hasPicks = picked.every((tile) => play.game === 'mines' && play.meta.picked.includes(tile))
  return [
    { claim: 'its client seed is the one you sent', holds: seeded.length > 0 },
    { claim: 'its choice and stake are the ones you sent', holds: chosen.length > 0 && hasPicks },
    checkTerms(play, chosen.length > 0 ? chosen : asked),
    ...(opened && lastPicks.length > 0
      ? [
          {
            claim: 'its last pick was the one you asked for',
            holds: lastPicks.includes(opened.maxPicks),
          },
        ]
      : []),
  ]
}

function checkTerms(play: SettledPlay<GameName, Unit>, shown: PayTerms[]): Check {
  const isByTables = isPaidByTables(play.game)
  const isPaidBy = ({ edgeBps, tables }: PayTerms) =>
    isByTables ? tables === play.tables : edgeBps === play.edgeBps
  const { edgeBps, tables } = shown.find(isPaidBy) ?? shown[0] ?? play
  const claim = isByTables
    ? `its pay tables are the ones shown before, version ${tables}`
    : `its house edge is the one shown before, ${edgeBps / 100}%`
  return { claim, holds: shown.some(isPaidBy) }
}

function isSameOrder(asked: AskedPlay, play: SettledPlay<GameName, Unit>): boolean {
  const { game, params, token, amountWei } = asked
  const played = new Map(Object.entries(wireParams(selectionOf(play))))
  return (
    game === play.game &&
    token === play.token &&
    amountWei === play.amount &&
    Object.entries(params).every(
      ([name, value]) => JSON.stringify(played.get(name)) === JSON.stringify(value),
    )
  )
}

function isSameMeta(a: object, b: object): boolean {
  const canonical = (meta: object) => JSON.stringify(meta, Object.keys(a).toSorted())
  return canonical(a) === canonical(b)
}

function drawOf<G extends GameName>({ game, meta }: Result<G>): string {
  return specOf(game).words.draw(meta)
}
