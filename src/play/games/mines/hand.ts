import type { MinesGame } from '../../../games/mines/open.ts'
import { TILES } from '../../../games/mines/rule.ts'
import type { FeedPlay, PlayAnswer, StoredPlay } from '../../../games/placement.ts'
import { showMultiplier } from '../../../money/multiplier.ts'
import { exactAmount } from '../../amounts.ts'
import { announce } from '../../announce.ts'
import { get, isFailure, type Failure } from '../../api.ts'
import { keepReceipt } from '../../receipts.ts'
import { readMe } from '../../session.ts'
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
  type Words,
} from '../desk.ts'
import { randomPicks } from '../picks.tsx'

type StepAnswer = { ok: true; game: MinesGame } & Pick<PlayAnswer, 'me' | 'receipt'>
type PickAnswer = StepAnswer & { hit: boolean; play: StoredPlay | null }

const WORDS: Words = {
  unreachable: 'The service didn’t answer. Press again: the same step is never taken twice.',
  game_open: 'Your last game is still open. Here it is: play it on, or cash out.',
  nonce_mismatch: 'You have played elsewhere meanwhile. Press again for a new game.',
  idempotency_conflict: 'Your game is open already, or you have played elsewhere meanwhile.',
}

/** Opens a game under the next play's commitment. */
export async function openGame(mines: number, { token, amountWei }: Stake): Promise<void> {
  const dealt = desk.value.isPlaying ? null : deal()
  if (!dealt) return
  const stake = { token, amountWei: amountWei.toString() }
  const body = { action: 'mines-open', params: { mines }, ...stake }
  const sent = await begin<StepAnswer>(dealt, body)
  if (!sent) return
  if (isFailure(sent.answer)) return wasRefused(sent.answer, WORDS)
  await taken(sent.wallet, sent.answer)
  announce(`Game ${dealt.nonce} is open. Pick a tile.`)
}

/** Picks a tile of the open game. A tile that is picked already changes nothing. */
export async function pickTile(tile: number): Promise<void> {
  const { game } = desk.value
  if (!game) return refuse('Start a game first.')
  if (game.picked.includes(tile)) return
  const { nonce } = game
  const sent = await send<PickAnswer>({ action: 'mines-pick', nonce, tile })
  if (!sent) return
  const { wallet, answer } = sent
  if (isFailure(answer)) return wasNotTaken(wallet, nonce, answer)
  if (!answer.play) {
    await taken(wallet, answer)
    return announce(sayStep(answer.game, tile))
  }
  keepReceipt(wallet, `play/${nonce}`, answer.receipt)
  await ended(wallet, { ok: true, me: answer.me, ...answer.play })
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
  if (game.picked.length === 0) return refuse('Pick a tile before you cash out.')
  const { nonce } = game
  const sent = await send<PlayAnswer>({ action: 'mines-cashout', nonce })
  if (!sent) return
  const { wallet, answer } = sent
  if (isFailure(answer)) await wasNotTaken(wallet, nonce, answer)
  else await ended(wallet, answer)
}

/** Shows the game after a step, and the chips. All receipts of a game are kept as those of its play. */
async function taken(wallet: string, { game, me, receipt }: StepAnswer): Promise<void> {
  keepReceipt(wallet, `play/${game.nonce}`, receipt)
  desk.patch({ game, shown: null, told: null })
  followCommitment({ nonce: game.nonce + 1, seedHash: game.nextSeedHash })
  await showChips(wallet, me)
}

async function ended(wallet: string, play: PlayAnswer): Promise<void> {
  desk.patch({ game: null })
  await take(wallet, play)
}

/** Shows why a step was refused; of a game that has ended without it, how. */
async function wasNotTaken(wallet: string, nonce: number, failure: Failure): Promise<void> {
  if (failure.error.code !== 'no_open_game') return wasRefused(failure, WORDS)
  const query = { action: 'play', wallet, nonce: String(nonce) }
  const answer = await get<FeedPlay & { ok: true }>('/api/entropy', query)
  if (isFailure(answer)) return wasRefused(answer, WORDS)
  const { ok: _ok, ...play } = answer
  desk.patch({ game: null })
  showSettled(play)
  const paid = `${exactAmount(play.payout, play.token)} ${play.token}`
  const end = play.win ? `was cashed out for ${paid}` : 'ended on a mine'
  refuse(`This game ${end}, elsewhere or because it was left open for a day.`)
  await readMe()
}

function sayStep({ multiplier, next, payout, token }: MinesGame, tile: number): string {
  const now = `${showMultiplier(multiplier)}, ${exactAmount(payout, token)} ${token}`
  const more = next === null ? '' : ` The next one pays ${showMultiplier(next)}.`
  return `Tile ${tile} is safe: ${now}.${more}`
}
