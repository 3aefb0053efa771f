import { invariant } from '../core/invariant.ts'
import type { Limits } from '../money/bankroll.ts'
import { largestWithin, scaleDown, showDown, type Rational } from '../money/rational.ts'
import type { PerToken, Token, Unit } from '../money/token.ts'
import type { Outcome, PayTerms } from './game.ts'
import {
  areKnownTables,
  isPaidByTables,
  specOf,
  type GameName,
  type MetaOf,
  type Result,
  type Selection,
} from './games.ts'
import { RandomStream, type Draw } from './stream.ts'

/** The operator's settings. */
export interface EntropyRules {
  /** The edge of the games without pay tables. */
  edgeBps: number
  limits: PerToken<Limits>
}

/** The number of decimals shown in a multiplier. The payout uses the exact fraction. */
export const SHOWN_DECIMALS = 4

/**
 * Returns the outcome of a selection under a draw.
 * @throws InvariantError for an unknown version of the pay tables
 */
export function outcomeOf<G extends GameName>(
  { game, params }: Selection<G>,
  draw: Draw,
  terms: PayTerms,
): Outcome<MetaOf[G]> {
  const isPayable = !isPaidByTables(game) || areKnownTables(terms.tables)
  invariant(isPayable, `there are no pay tables of version ${terms.tables}`)
  return specOf(game).play(params, new RandomStream(draw), terms)
}

/** Returns the most a selection can pay, as a multiple of the stake. */
export function bestMultiplier<G extends GameName>(
  { game, params }: Selection<G>,
  terms: PayTerms,
): Rational {
  return specOf(game).best(params, terms)
}

/** Returns the largest stake whose best outcome stays within `maxPayout`; null if every stake does. */
export function largestStake(
  selection: Selection,
  maxPayout: bigint,
  terms: PayTerms,
): bigint | null {
  return largestWithin(maxPayout, bestMultiplier(selection, terms))
}

/** A settled play as stored and answered. `multiplier` is the paid one, zero when lost. */
export type SettledPlay<G extends GameName = GameName, U extends Unit = Token> = Result<G> &
  Draw &
  PayTerms & {
    token: U
    amount: string
    multiplier: number
    payout: string
    win: boolean
    seedHash: string
  }

/** Settles a play: draws its outcome and rounds the payout down once. */
export function settle<G extends GameName, U extends Unit>(
  selection: Selection<G>,
  stake: { token: U; amountWei: bigint },
  draw: Draw & { seedHash: string },
  { edgeBps, tables }: PayTerms,
): SettledPlay<G, U> {
  const { multiplier, meta } = outcomeOf(selection, draw, { edgeBps, tables })
  return {
    game: selection.game,
    token: stake.token,
    amount: stake.amountWei.toString(),
    multiplier: showDown(multiplier, SHOWN_DECIMALS),
    payout: scaleDown(stake.amountWei, multiplier).toString(),
    win: multiplier.numerator > 0n,
    seedHash: draw.seedHash,
    seed: draw.seed,
    clientSeed: draw.clientSeed,
    nonce: draw.nonce,
    meta,
    edgeBps,
    tables,
  }
}
