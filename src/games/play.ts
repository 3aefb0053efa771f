import {
  largestWithin,
  ofHundredths,
  scaleDown,
  showDown,
  type Rational,
} from '../money/rational.ts'
import type { PerToken, Token } from '../money/token.ts'
import { kenoTable, playKeno, type KenoMeta, type KenoParams } from './keno.ts'
import { playLimbo, type LimboMeta, type LimboParams } from './limbo.ts'
import { minesMultiplier, playMines, type MinesMeta, type MinesParams } from './mines.ts'
import type { Outcome } from './outcome.ts'
import { playPlinko, plinkoTable, type PlinkoMeta, type PlinkoParams } from './plinko.ts'
import { RandomStream, type Draw } from './stream.ts'

export const GAMES = ['mines', 'limbo', 'plinko', 'keno'] as const

/** What an operator sets. Amounts in smallest units, as decimal text. */
export interface EntropyRules {
  /** The edge of mines and limbo; that of plinko and keno is in their tables. */
  edgeBps: number
  limits: PerToken<{ min: string; max: string; maxPayout: string }>
}

/** A game and what was chosen in it. */
export type Selection =
  | { game: 'mines'; params: MinesParams }
  | { game: 'limbo'; params: LimboParams }
  | { game: 'plinko'; params: PlinkoParams }
  | { game: 'keno'; params: KenoParams }

/** What a play is paid by: fixed when it is made, disclosed with it. */
export interface PayTerms {
  /** The edge of mines and limbo. */
  edgeBps: number
  /** The version of the pay tables: what plinko and keno pay, their edge included. */
  tables: number
}

export type Meta = MinesMeta | LimboMeta | PlinkoMeta | KenoMeta

/** Decimals a multiplier is shown with; the payout follows from the exact fraction. */
const SHOWN_DECIMALS = 4

/** What a selection comes to under a draw. */
export function outcomeOf(
  selection: Selection,
  draw: Draw,
  { edgeBps, tables }: PayTerms,
): Outcome<Meta> {
  const stream = new RandomStream(draw)
  switch (selection.game) {
    case 'mines':
      return playMines(selection.params, stream, edgeBps)
    case 'limbo':
      return playLimbo(selection.params, stream, edgeBps)
    case 'plinko':
      return playPlinko(selection.params, stream, tables)
    case 'keno':
      return playKeno(selection.params, stream, tables)
  }
}

/** The most a selection can pay, as a multiple of the stake. */
export function bestMultiplier(selection: Selection, { edgeBps, tables }: PayTerms): Rational {
  switch (selection.game) {
    case 'mines':
      return minesMultiplier(selection.params, edgeBps)
    case 'limbo':
      return ofHundredths(selection.params.target)
    case 'plinko':
      return ofHundredths(Math.max(...plinkoTable(selection.params, tables)))
    case 'keno':
      return ofHundredths(Math.max(...kenoTable(selection.params, tables)))
  }
}

/** The largest stake whose best outcome stays within `maxPayout`; null where any does. */
export function largestStake(
  selection: Selection,
  maxPayout: bigint,
  terms: PayTerms,
): bigint | null {
  return largestWithin(maxPayout, bestMultiplier(selection, terms))
}

/** A settled play, as it is stored and answered: `multiplier` is the paid one, zero when lost. */
export interface SettledPlay extends Draw, PayTerms {
  game: Selection['game']
  token: Token
  amount: string
  multiplier: number
  payout: string
  win: boolean
  seedHash: string
  meta: Meta
}

/** Settles a play: the outcome, and the payout rounded down once. */
export function settle(
  selection: Selection,
  stake: { token: Token; amountWei: bigint },
  draw: Draw & { seedHash: string },
  { edgeBps, tables }: PayTerms,
): SettledPlay {
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
