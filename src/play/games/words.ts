import { specOf, type GameName, type Result } from '../../games/games.ts'
import type { SettledPlay } from '../../games/play.ts'
import type { Unit } from '../../money/token.ts'
import { exactAmount } from '../amounts.ts'
import { showMultiplier, showDigits, localText } from '../locale.ts'

/** Formats a probability: 49.5%, 0.0001871%. */
export function showChance(chance: number): string {
  return `${showDigits(chance * 100, 4)}%`
}

/** Describes a play's result, for players who don't see its picture. */
export function sayPlay(play: SettledPlay<GameName, Unit>): string {
  const { nonce, win, payout, amount, token, multiplier } = play
  const outcome = win
    ? `pays ${exactAmount(payout, token)} ${token} at ${showMultiplier(multiplier)}`
    : `lost ${exactAmount(amount, token)} ${token}`
  return `Play ${nonce}: ${outcome}. ${sayResult(play)}.`
}

/** Describes the outcome in a few words. */
export function sayResult<G extends GameName>({ game, meta }: Result<G>): string {
  return localText(specOf(game).words.result(meta))
}

/** Describes the player's choice in a few words. */
export function sayChoice<G extends GameName>({ game, meta }: Result<G>): string {
  return localText(specOf(game).words.choice(meta))
}
