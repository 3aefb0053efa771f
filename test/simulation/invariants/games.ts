import type { MinesGame } from '../../../src/games/mines/open.ts'
import type { World } from '../world/world.ts'
import { checkPlay } from './answers.ts'

type Json = Record<string, unknown>

/** An open game, as the API shows it to its player. */
export type Game = MinesGame

/** An opened game must have the number and the commitment that were shown. */
export function checkGame(
  world: World,
  wallet: string,
  asked: { nonce: number; seedHash: string; clientSeed: string },
  answer: Json,
): Game {
  const game = answer['game'] as Game
  const { nonce, seedHash, clientSeed } = game
  for (const [fact, seen, told] of [
    ['number', asked.nonce, nonce],
    ['seed hash', asked.seedHash, seedHash],
    ['client seed', asked.clientSeed, clientSeed],
  ]) {
    if (seen !== told) world.violate(`game ${nonce} of ${wallet} was opened with another ${fact}`)
  }
  promise(world, wallet, game)
  world.promise(`seed hash ${nonce} of ${wallet}`, seedHash)
  return game
}

/** A picked tile must be among the picks. Returns the game as it goes on, or null once it has ended. */
export function checkPick(
  world: World,
  wallet: string,
  asked: Game & { tile: number },
  answer: Json,
): Game | null {
  const { game, hit, play } = answer as { game: Game; hit: boolean; play: Json | null }
  const { nonce, picked } = game
  if (nonce !== asked.nonce || !picked.includes(asked.tile))
    world.violate(`a pick of tile ${asked.tile} of ${wallet} was answered with [${picked.join()}]`)
  promise(world, wallet, game)
  if (!play) return game
  checkPlay(world, wallet, asked, asked, play)
  if (hit !== (play['payout'] === '0')) world.violate(`game ${nonce} of ${wallet} pays for a mine`)
  return null
}

/** A game after a number of picks is always the same. */
function promise(world: World, wallet: string, game: Game): void {
  const { next: _next, ...facts } = game
  world.promise(
    `game ${game.nonce} of ${wallet} after ${game.picked.length} picks`,
    JSON.stringify(facts),
  )
}
