import type { Check } from '../../fairness/check.ts'
import type { PayTerms } from '../../games/game.ts'
import { wireParams, type Selection } from '../../games/games.ts'
import type { NextPlay, PlayAnswer } from '../../games/play-request.ts'
import type { Token } from '../../money/token.ts'
import { verifyPlay, type SeenPlay } from '../../verify/play.ts'
import { showAmount } from '../shared/amounts.ts'
import { readPlay } from '../verify/plays.ts'

/** The request of a play, and the commitment shown before it. */
export interface Deal extends NextPlay, PayTerms {
  selection: Selection
  token: Token
  amountWei: bigint
  clientSeed: string
  chipsBefore: bigint
  /** How the steps of a game of mines ended it. */
  seen?: Pick<SeenPlay, 'opened' | 'ended'>
}

/**
 * Checks a play's answer against its request and the commitment seen before it.
 * @param next the commitment that the service shows for the next play
 * @throws CommandError if the answer isn't a play
 */
export function checkPlayed(deal: Deal, answer: PlayAnswer, next: NextPlay): Check[] {
  const { selection, token, amountWei, nonce, seedHash, chipsBefore } = deal
  const { clientSeed, edgeBps, tables, seen } = deal
  const chipsAfter = BigInt(answer.me.chips[token])
  const balance = `${showAmount(chipsBefore, token)} before, ${showAmount(chipsAfter, token)} after`
  const play = readPlay(answer, 'The answer')
  const order = { game: selection.game, params: wireParams(selection), token }
  const asked = { ...order, amountWei: amountWei.toString(), clientSeed, edgeBps, tables }
  return [
    ...verifyPlay(play, { ...seen, seedHash, asked: [asked] }),
    { claim: `it is play ${nonce}`, holds: play.nonce === nonce },
    {
      claim: 'the next play is committed to as the answer says',
      holds: next.nonce === nonce + 1 && next.seedHash === answer.nextSeedHash,
    },
    {
      claim: `your chips add up: ${balance}`,
      holds: chipsAfter === chipsBefore - amountWei + BigInt(play.payout),
    },
  ]
}
