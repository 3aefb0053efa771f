import { z } from 'zod'
import { invariant } from '../../core/invariant.ts'
import { GAME_NAMES, type GameName, type Selection } from '../../games/games.ts'
import { PARAMS, TILES } from '../../games/mines/rule.ts'
import {
  Credentials,
  AmountWei,
  QueryNumber,
  TokenName,
  Wallet,
  WholeNumber,
} from '../http/schema.ts'
import { paramsSchema } from './fields-schema.ts'

/** The bodies of POST /api/entropy, by action; `wallet` and `authSig` of a play are read before it. */

const MAX_RECENT = 100

const Nonce = WholeNumber(0, Number.MAX_SAFE_INTEGER)

/** A game and the choices made in it, as sent in a request. */
function selectionBody(game: GameName) {
  return z.object({
    game: z.literal(game).describe('The game.'),
    params: paramsSchema(game).describe("The player's choices."),
  })
}

/** Returns the schema of something that differs by its game. @param bodyOf returns the schema for one game */
export function byGame<Body extends z.core.$ZodTypeDiscriminable>(
  bodyOf: (game: GameName) => Body,
) {
  const [first, ...others] = GAME_NAMES.map(bodyOf)
  invariant(first, 'at least one game is registered')
  return z.discriminatedUnion('game', [first, ...others])
}

/** Parses to a game and its rule's params. */
export const SelectionBody = byGame(selectionBody).transform((selection) => selection as Selection)

export const ClientSeed = z
  .string()
  .regex(/^[\x20-\x7e]{1,64}$/, 'must be 1 to 64 printable ASCII characters')

/** A stake with its part of the randomness, which every play and game begins with. */
export const StakeBody = z.object({
  token: TokenName,
  amountWei: AmountWei,
  clientSeed: ClientSeed.nullish().describe(
    'Your part of the randomness; the lower-case wallet by default. Only a fresh seed of your own proves that the house could not know it when it drew its seed.',
  ),
  nonce: Nonce.nullish().describe(
    "The play's number, which makes the call safe to repeat: one already played answers as it did. Without it a repetition is another play.",
  ),
  terms: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be a hash of terms')
    .nullish()
    .describe(
      'The hash of the terms that you have seen. The call is refused if others hold by now.',
    ),
})

/** A play of a game, with the choices made in it. */
export function playBody(game: GameName) {
  return selectionBody(game).extend(StakeBody.shape)
}

export const PlayBody = byGame(playBody)

const GameNonce = Nonce.describe("The number of the open game's play.")

export const OpenBody = z.object({
  token: TokenName,
  amountWei: AmountWei,
  params: z
    .object({
      mines: WholeNumber(PARAMS.mines.min, PARAMS.mines.max).describe('The number of mines.'),
    })
    .describe("The player's choice."),
  maxPicks: WholeNumber(1, TILES - 1)
    .nullish()
    .describe(
      'The pick that ends the game at the latest: at most the number of safe tiles, and of picks whose payout is within `maxPayout`. Compute and send it, and compare the answer: without it the house sets it when it knows the mines.',
    ),
  clientSeed: StakeBody.shape.clientSeed,
  nonce: StakeBody.shape.nonce,
  terms: StakeBody.shape.terms,
})

export const PickBody = z.object({
  nonce: GameNonce,
  tile: WholeNumber(0, TILES - 1).describe('The tile to pick, by number.'),
})

export const CashOutBody = z.object({ nonce: GameNonce })

/** The wallet whose next play to show and, with its signature, to commit to. */
export const WalletQuery = z.object({
  wallet: Wallet.optional(),
  authSig: Credentials.shape.authSig.optional(),
})

/** The play to disclose. */
export const PlayQuery = z.object({
  wallet: Wallet,
  nonce: QueryNumber(0, Number.MAX_SAFE_INTEGER).describe("The play's number."),
})

export const RecentBody = z.object({
  game: z.enum(GAME_NAMES).nullish().describe('Only plays of this game.'),
  wallet: Wallet.nullish().describe('Only plays of this wallet.'),
  limit: WholeNumber(1, MAX_RECENT).nullish().describe('The number of plays; 20 by default.'),
})
