import type { PlayRow } from '../exports/rows.ts'
import { selectionOf, specOf, type GameName } from '../games/games.ts'
import { bestMultiplier, type SettledPlay } from '../games/play.ts'
import { RandomStream } from '../games/stream.ts'
import type { Rational } from '../money/rational.ts'
import { verifyPlay } from '../verify/play.ts'
import { findingsOf, type Finding } from './finding.ts'
import { addUse, type TermsUse } from './in-force.ts'
import { addPlay, type PlaysUnderTerms } from './in-terms.ts'
import { textOf } from './rounds.ts'
import { addReturn, emptyReturns, type ReturnTally } from './tally.ts'

/** Successive plays of a wallet, each with the seed that the one before it promised. */
export interface PlayRun {
  wallet: string
  /** The number and the seed hash of the first play. */
  first: number
  firstSeedHash: string
  /** The seed hash that the last play promises. */
  nextSeedHash: string
  /** Each play's game and draw, from 0 to 1. */
  games: GameName[]
  draws: number[]
  /** When each play was settled, in unix milliseconds. */
  times: number[]
}

/** The result of auditing some plays. */
export interface PlaysPart {
  findings: Finding[]
  plays: number
  runs: PlayRun[]
  returns: ReturnTally[]
  /** What the plays must be by the terms that they name. */
  terms: Map<string, PlaysUnderTerms>
  uses: Map<string, TermsUse>
}

/** Recomputes plays. */
export function auditPlays(plays: readonly PlayRow[]): PlaysPart {
  const part: PlaysPart = {
    findings: [],
    plays: plays.length,
    runs: [],
    returns: [],
    terms: new Map(),
    uses: new Map(),
  }
  for (const play of plays) {
    const where = `play ${play.nonce} of ${play.wallet}`
    try {
      part.findings.push(...findingsOf(where, verifyPlay(play)))
      addToRun(part.runs, play)
      tallyOf(part.returns, play)
      addPlay(part.terms, play)
      addUse(part.uses, play)
    } catch (fault) {
      part.findings.push({ where, problem: `it can't be recomputed: ${textOf(fault)}` })
    }
  }
  return part
}

function addToRun(runs: PlayRun[], play: PlayRow): void {
  const { wallet, nonce, seedHash, nextSeedHash, game, settledAt } = play
  const draw = Number(new RandomStream(play).first52Bits()) / 2 ** 52
  const run = runs.at(-1)
  const continues =
    run?.wallet === wallet &&
    run.first + run.draws.length === nonce &&
    run.nextSeedHash === seedHash
  if (run && continues) {
    run.nextSeedHash = nextSeedHash
    run.games.push(game)
    run.draws.push(draw)
    run.times.push(settledAt)
    return
  }
  const first = { wallet, first: nonce, firstSeedHash: seedHash, nextSeedHash }
  runs.push({ ...first, games: [game], draws: [draw], times: [settledAt] })
}

function tallyOf(tallies: ReturnTally[], play: SettledPlay): void {
  const { game, token, amount, payout } = play
  const { mean, best } = expectationOf(play)
  // A game of mines without a pick only returns its stake.
  if (mean === best) return
  let tally = tallies.find((one) => one.game === game && one.token === token)
  if (!tally) tallies.push((tally = emptyReturns(game, token)))
  addReturn(tally, { amount: BigInt(amount), payout: BigInt(payout), mean, best })
}

interface Expectation {
  mean: number
  best: number
}

const MAX_KNOWN = 10_000
const known = new Map<string, Expectation>()

/** Returns the exact expected return of a play's choice and its largest multiplier, as doubles. */
function expectationOf<G extends GameName>(play: SettledPlay<G>): Expectation {
  const selection = selectionOf(play)
  const { edgeBps, tables } = play
  const key = JSON.stringify([selection, edgeBps, tables])
  const found = known.get(key)
  if (found) return found
  const terms = { edgeBps, tables }
  const expectation = {
    mean: asNumber(specOf(play.game).returns(selection.params, terms)),
    best: asNumber(bestMultiplier(selection, terms)),
  }
  if (known.size < MAX_KNOWN) known.set(key, expectation)
  return expectation
}

const SCALE = 10n ** 18n

function asNumber({ numerator, denominator }: Rational): number {
  return Number((numerator * SCALE) / denominator) / Number(SCALE)
}
