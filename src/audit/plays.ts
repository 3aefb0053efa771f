import { messageOf } from '../core/fault.ts'
import type { PlayRow } from '../exports/rows.ts'
import type { PayTerms } from '../games/game.ts'
import { selectionOf, specOf, type GameName, type Selection } from '../games/games.ts'
import { bestMultiplier, type SettledPlay } from '../games/play.ts'
import { RandomStream } from '../games/stream.ts'
import type { Rational } from '../money/rational.ts'
import { verifyPlay } from '../verify/play.ts'
import { findingsOf, type Finding } from './finding.ts'
import { addUse, type TermsUse } from './in-force.ts'
import { addPlay, type PlaysUnderTerms } from './in-terms.ts'
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
  /** The plays by the terms that they name, to be checked against these. */
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
      part.findings.push({ where, problem: `it can't be recomputed: ${messageOf(fault)}` })
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
  const worth = worthOf(play)
  if (!worth) return
  let tally = tallies.find((one) => one.game === game && one.token === token)
  if (!tally) tallies.push((tally = emptyReturns(game, token)))
  addReturn(tally, { amount: BigInt(amount), payout: BigInt(payout), worth })
}

/**
 * Returns a stake's expected value, as a multiple of it: before the first step of its play, and after each step, if the
 * step went as well as it could. Null for a play that staked nothing on chance.
 */
function worthOf(play: SettledPlay): number[] | null {
  const expectations = stepsOf(play).map((selection) => expectationOf(selection, play))
  const [first] = expectations
  return first ? [first.mean, ...expectations.map(({ best }) => best)] : null
}

/**
 * Returns the choices that a play consists of. The picks of mines are steps, because a player who picks tile by tile
 * may stop after each: how many there are then depends on the mines. The export does not tell such a game from one
 * whose tiles were picked at once, which is therefore also taken as picks up to the first mine.
 */
function stepsOf(play: SettledPlay): Selection[] {
  if (play.game !== 'mines') return [selectionOf(play)]
  const { mines, picked } = play.meta
  const hit = picked.findIndex((tile) => mines.includes(tile))
  const count = hit === -1 ? picked.length : hit + 1
  // A pick's value depends on its number only, so the first tiles stand for all.
  const tiles = [...Array(count).keys()]
  return tiles.map((last) => ({
    game: 'mines',
    params: { mines: mines.length, picked: tiles.slice(0, last + 1) },
  }))
}

interface Expectation {
  mean: number
  best: number
}

const MAX_KNOWN = 10_000
const known = new Map<string, Expectation>()

/** Returns the exact expected return of a choice and its largest multiplier, as doubles. */
function expectationOf<G extends GameName>(
  selection: Selection<G>,
  { edgeBps, tables }: PayTerms,
): Expectation {
  const key = JSON.stringify([selection, edgeBps, tables])
  const found = known.get(key)
  if (found) return found
  const terms = { edgeBps, tables }
  const expectation = {
    mean: asNumber(specOf(selection.game).returns(selection.params, terms)),
    best: asNumber(bestMultiplier(selection, terms)),
  }
  if (known.size < MAX_KNOWN) known.set(key, expectation)
  return expectation
}

const SCALE = 10n ** 18n

function asNumber({ numerator, denominator }: Rational): number {
  return Number((numerator * SCALE) / denominator) / Number(SCALE)
}
