import { crashPointOf } from '../../crash/crash-point.ts'
import type { PayTerms } from '../../games/game.ts'
import { specOf, type Selection } from '../../games/games.ts'
import { limboReturn } from '../../games/limbo/returns.ts'
import { outcomeOf } from '../../games/play.ts'
import type { Hundredths } from '../../money/multiplier.ts'
import { ofHundredths, ZERO, type Rational } from '../../money/rational.ts'

/** The subject of a bet: a game's choice, or a round of crash that is cashed out at a multiplier. */
export type Wager = Selection | { game: 'crash'; target: Hundredths }

/** Draws the multiplier of a bet by the service's own rules. @param seed 32 bytes in hex */
export function drawMultiplier(
  wager: Wager,
  { seed, number }: { seed: string; number: number },
  terms: PayTerms,
): Rational {
  if (wager.game !== 'crash') {
    return outcomeOf(wager, { seed, clientSeed: 'simulated', nonce: number }, terms).multiplier
  }
  const round = { roundId: number, seed, pepper: seed, edgeBps: terms.edgeBps }
  return crashPointOf(round) >= wager.target ? ofHundredths(wager.target) : ZERO
}

/** Returns the exact expected payout of a bet, as a share of its stake. */
export function returnOf(wager: Wager, terms: PayTerms): Rational {
  // A crash point and a result of limbo reach a target for equally many numbers.
  if (wager.game === 'crash') return limboReturn({ target: wager.target }, terms)
  return returnOfPlay(wager, terms)
}

function returnOfPlay<G extends Selection['game']>(
  { game, params }: Selection<G>,
  terms: PayTerms,
): Rational {
  return specOf(game).returns(params, terms)
}
