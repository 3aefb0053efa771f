import { OWN_CLOCK_SKEW_MS } from '../../../core/age.ts'
import { DAY_MS } from '../../../core/utc-day.ts'
import { maxPicksOf, TILES } from '../../../games/mines/rule.ts'
import type { StoredPlay } from '../../../games/play-request.ts'
import type { Unit } from '../../../money/token.ts'
import type { AskedPlay, SeenPlay } from '../../../verify/play.ts'
import { exactAmount } from '../../amounts.ts'
import { announce } from '../../announce.ts'
import { fail, get, isFailure, type Failure } from '../../api.ts'
import { mayStake, pressedWithoutStake } from '../../double-tap.ts'
import { maxPayoutIn } from '../../fun/fun.ts'
import { showMultiplier } from '../../locale.ts'
import { takeReceipt } from '../../receipts.ts'
import { playingWallet, readMe } from '../../session.ts'
import type { Stake } from '../bet-form.tsx'
import {
  begin,
  deal,
  desk,
  followCommitment,
  refuse,
  send,
  showChips,
  showSettled,
  take,
  wasRefused,
  type Deal,
  type PlayAnswer,
  type ShownGame,
  type ShownPlay,
  type Words,
} from '../desk.ts'
import { differenceOf, keepEnd, keepOpened, keepPick, seenOf } from '../evidence.ts'
import { randomPicks } from '../picks.tsx'

type StepAnswer = { ok: true; game: ShownGame } & Pick<PlayAnswer, 'me' | 'receipt'>
type Opened = NonNullable<SeenPlay['opened']>
/** How a game ended with a step, or before it. */
type End = StoredPlay<Unit>
type PickAnswer = StepAnswer & { hit: boolean; play: End | null }

const WORDS: Words = {
  payout_limit:
    'The payout limit has fallen, so this game would end with an earlier pick. Change your stake.',
  unreachable: 'The service didn’t answer. Press again: the same step is never taken twice.',
  game_open: 'Your last game is still open. Keep playing it, or cash out.',
  nonce_mismatch: 'You’ve since played in another tab or device. Press again for a new game.',
  idempotency_conflict:
    'Your game is already open, or you’ve since played in another tab or device.',
}

/** Opens a game under the next play's commitment, unless the press is the second tap of a double tap. */
export async function openGame(mines: number, stake: Stake): Promise<void> {
  const dealt = desk.value.isPlaying || !mayStake() ? null : deal()
  if (dealt) await openDealt(mines, stake, dealt)
}

/**
 * Opens a game under a commitment, or asks for it again.
 * @param picks how many tiles the player wants to pick at most
 * @returns as {@link begin}, with the view
 */
export async function openDealt(
  mines: number,
  { token, amountWei }: Stake,
  dealt: Deal,
  picks = TILES,
): Promise<StepAnswer | Failure | null> {
  const { config } = desk.value
  if (!config) return null
  const { edgeBps } = config
  const draft = {
    game: 'mines' as const,
    params: { mines },
    token,
    amountWei: amountWei.toString(),
  }
  const maxPayout = maxPayoutIn(config.maxPayout, token)
  const most = Math.min(picks, maxPicksOf({ amountWei, mines, edgeBps, maxPayout }))
  const maxPicks = sentBefore(dealt, draft)?.maxPicks ?? most
  const sent = await begin<StepAnswer>(dealt, 'mines-open', { ...draft, maxPicks })
  if (!sent) return null
  const { wallet, answer } = sent
  if (isFailure(answer)) {
    await wasRefused(answer, WORDS)
    return answer
  }
  await taken(wallet, 'mines-open', answer)
  if (answer.game.maxPicks !== maxPicks) {
    const other = fail('unverified', otherLimit(answer.game, maxPicks))
    desk.patch({ problem: other.error })
    return other
  }
  announce(`Game ${dealt.nonce} is open. Pick a tile.`)
  return answer
}

type Draft = Pick<AskedPlay, 'game' | 'params' | 'token' | 'amountWei'>

/**
 * Returns an earlier request for the same game. It may have been taken; and a house that has seen it, and so the board,
 * could lower the limits.
 */
function sentBefore({ nonce, clientSeed }: Deal, draft: Draft): AskedPlay | undefined {
  const textOf = ({ game, params, token, amountWei }: Draft) =>
    JSON.stringify([game, params, token, amountWei])
  const asked = seenOf(playingWallet() ?? '', nonce)?.asked ?? []
  return asked.find((each) => each.clientSeed === clientSeed && textOf(each) === textOf(draft))
}

function otherLimit({ nonce, maxPicks }: ShownGame, asked: number): string {
  return `You asked for a game of up to ${asked} picks, but the house ends it with pick ${maxPicks}, and it knows the mines. Don’t pick: then your stake returns after a day. Save the proof of play ${nonce} as evidence.`
}

/** Picks a tile of the open game. A tile that is picked already changes nothing. */
export async function pickTile(tile: number): Promise<void> {
  const { game } = desk.value
  if (!game) return refuse('Start a game first.')
  if (!game.picked.includes(tile)) await pickOf(game.nonce, tile)
}

type Step = number | 'cash-out'

/** The steps that this page has sent, as wallet, number of the game and step. Their answers may be lost. */
const sentSteps = new Set<string>()

/** Picks a tile of a game, or asks for the pick again. */
export async function pickOf(
  nonce: number,
  tile: number,
): Promise<Pick<PickAnswer, 'play'> | Failure | null> {
  const sent = await send<PickAnswer>({ action: 'mines-pick', nonce, tile })
  if (!sent) return null
  const { wallet, answer } = sent
  sentSteps.add(`${wallet}/${nonce}/${tile}`)
  if (isFailure(answer)) {
    const play = await wasNotTaken(wallet, nonce, answer)
    return isFailure(play) ? play : { play }
  }
  keepPick(wallet, nonce, tile)
  const { play, me, receipt } = answer
  if (play) {
    const settled = { ok: true as const, me, ...play, ...(receipt !== undefined && { receipt }) }
    const signed = { kind: 'mines-pick', game: answer.game }
    return (await ended(wallet, nonce, tile, settled, signed)) ?? answer
  }
  await taken(wallet, 'mines-pick', answer)
  announce(sayStep(answer.game, tile))
  return answer
}

/** Picks one of the tiles that are left. */
export async function pickRandomTile(): Promise<void> {
  const picked = desk.value.game?.picked ?? []
  const tile = randomPicks(TILES, TILES).find((each) => !picked.includes(each))
  if (tile !== undefined) await pickTile(tile)
}

/** Cashes out the open game. */
export async function cashOutGame(): Promise<void> {
  const { game } = desk.value
  if (!game) return
  pressedWithoutStake()
  if (game.picked.length === 0) return refuse('Pick a tile before you cash out.')
  await cashOutOf(game.nonce)
}

/** Cashes out a game, or asks for its payout again. */
export async function cashOutOf(nonce: number): Promise<End | Failure | null> {
  const sent = await send<PlayAnswer>({ action: 'mines-cashout', nonce })
  if (!sent) return null
  const { wallet, answer } = sent
  sentSteps.add(`${wallet}/${nonce}/cash-out`)
  if (isFailure(answer)) return wasNotTaken(wallet, nonce, answer)
  return (await ended(wallet, nonce, 'cash-out', answer)) ?? answer
}

/** Shows the game after a step, and the chips. All receipts of a game are kept as those of its play. */
async function taken(
  wallet: string,
  kind: 'mines-open' | 'mines-pick',
  { game, me, receipt }: StepAnswer,
): Promise<void> {
  takeReceipt(wallet, `play/${game.nonce}`, receipt, { kind, game })
  keepOpened(wallet, game)
  desk.patch({ game, shown: null, told: null })
  followCommitment({ nonce: game.nonce + 1, seedHash: game.nextSeedHash })
  await showChips(wallet, me)
}

/** @param step that ended the game @returns as {@link take} */
function ended(
  wallet: string,
  nonce: number,
  step: Step,
  play: PlayAnswer,
  signed?: object,
): Promise<Failure | null> {
  // A press that was meant for this game must not open another one.
  pressedWithoutStake()
  desk.patch({ game: null })
  return take(wallet, nonce, play, keepEnd(wallet, nonce, step), signed)
}

/**
 * Shows why a step was refused; of a game that has ended without it, how.
 * @returns how it ended, unless the house may have ended it: then, or if the end isn't known, a failure
 */
async function wasNotTaken(
  wallet: string,
  nonce: number,
  failure: Failure,
): Promise<End | Failure> {
  const isOver = failure.error.code === 'no_open_game'
  const asked = { action: 'play', wallet, nonce: String(nonce) }
  const answer = isOver ? await get<ShownPlay & { ok: true }>('/api/entropy', asked) : failure
  if (isFailure(answer)) {
    await wasRefused(answer, WORDS)
    return answer
  }
  const { ok: _ok, ...play } = answer
  const { game } = desk.value
  desk.patch({ game: null })
  showSettled(play)
  const seen = seenOf(wallet, nonce)
  const { words, isOwn } = meaningOf(play, wallet, seen, seen?.opened ?? game)
  const doubt = differenceOf(play, nonce, seen) ?? (isOwn ? null : fail('unverified', words))
  if (doubt) desk.patch({ problem: doubt.error })
  else refuse(words)
  await readMe()
  return doubt ?? play
}

/** Returns the words for the end of a game, and whether this page or the rules have ended it. */
function meaningOf(
  play: ShownPlay,
  wallet: string,
  seen: SeenPlay | null,
  opened: Opened | null,
): { words: string; isOwn: boolean } {
  const picked = play.game === 'mines' ? play.meta.picked : []
  const step = play.win ? 'cash-out' : picked.at(-1)
  // An end that was answered here has been compared with its step.
  const isHere = seen?.ended !== undefined || sentSteps.has(`${wallet}/${play.nonce}/${step}`)
  if (!play.win) return { words: isHere ? LOST_UNSEEN : LOST_ELSEWHERE, isOwn: isHere }
  const isOwn = isHere || isDue(picked.length, play, seen, opened)
  const paid = `${exactAmount(play.payout, play.token)} ${play.token}`
  const how = isHere ? '.' : isOwn ? CASHED_OUT : UNASKED
  return { words: `This game was cashed out for ${paid}${how}`, isOwn }
}

const LOST_UNSEEN =
  'This game ended on a mine. The answer to your last pick didn’t reach this page.'

// A game that is left open ends without a mine.
const LOST_ELSEWHERE =
  'This game ended on a mine, on another device or in another tab. If you didn’t pick it there, save the proof of this play as evidence.'

/**
 * Returns whether the rules ended a game, if its player did not. Its opening could be dated back and its end ahead;
 * this clock may be wrong, but a day takes a day by it.
 */
function isDue(
  picks: number,
  { clientSeed, settledAt }: ShownPlay,
  seen: SeenPlay | null,
  opened: Opened | null,
): boolean {
  if (!opened || picks === opened.maxPicks) return true
  const now = Date.now()
  const endedAt = Math.min(settledAt, now + DAY_MS / 2)
  const asked = seen?.asked?.find((each) => !each.isRefused && each.clientSeed === clientSeed)
  const sinceMs = now + OWN_CLOCK_SKEW_MS - (asked?.askedAt ?? 0)
  return Math.min(endedAt - opened.openedAt, sinceMs) >= DAY_MS
}

const CASHED_OUT =
  ': in another tab or on another device, with its last pick, or after it had been open for a day.'

const UNASKED =
  '. If you did not cash it out here or elsewhere, and have not excluded yourself, save the proof of this play as evidence.'

function sayStep({ multiplier, next, payout, token }: ShownGame, tile: number): string {
  const now = `${showMultiplier(multiplier)}, ${exactAmount(payout, token)} ${token}`
  const more = next === null ? '' : ` The next one pays ${showMultiplier(next)}.`
  return `Tile ${tile} is safe: ${now}.${more}`
}
