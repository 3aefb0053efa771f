import { scaleDown, ZERO, type Rational } from '../../money/rational.ts'
import type { MetaField, ParamField, Values } from '../fields.ts'
import type { Outcome, PayTerms } from '../game.ts'
import { drawDistinct, type RandomStream } from '../stream.ts'

export const TILES = 25

export const PARAMS = {
  mines: {
    kind: 'whole',
    min: 1,
    max: TILES - 1,
    description: `The number of mines; mines and picks together are at most ${TILES}.`,
  },
  picked: {
    kind: 'distinct',
    wireName: 'pick',
    min: 0,
    max: TILES - 1,
    most: TILES - 1,
    orCountOf: 'tiles',
    description: `The tiles by number (0 to ${TILES - 1}), or a count, which means the first tiles.`,
  },
} as const satisfies Record<string, ParamField>

export type MinesParams = Values<typeof PARAMS>

const tiles = { kind: 'wholes', min: 0, max: TILES - 1 } as const

export const META = {
  mines: { ...tiles, description: 'The mined tiles, in draw order.' },
  picked: { ...tiles, description: 'The picked tiles.' },
} as const satisfies Record<string, MetaField>

export type MinesMeta = Values<typeof META>

/** Returns why there are not enough tiles for all mines and picks, or null if there are. */
export function problemOf({ mines, picked }: MinesParams) {
  if (mines + picked.length <= TILES) return null
  return { param: 'picked', message: `mines and picks together must be at most ${TILES}` } as const
}

/** Wins if no picked tile is a mine. */
export function playMines(
  params: MinesParams,
  stream: RandomStream,
  terms: PayTerms,
): Outcome<MinesMeta> {
  const mines = drawDistinct(stream, TILES, params.mines)
  const isSafe = params.picked.every((tile) => !mines.includes(tile))
  const { picked } = params
  return { multiplier: isSafe ? minesMultiplier(params, terms) : ZERO, meta: { mines, picked } }
}

/** The multiplier of a choice, if no picked tile is a mine. */
export function minesMultiplier(
  { mines, picked }: MinesParams,
  terms: Pick<PayTerms, 'edgeBps'>,
): Rational {
  return safePicksMultiplier(mines, picked.length, terms)
}

/**
 * (1 − edge) · C(25, k) / C(25 − m, k): exactly the inverse of the chance to win, less the edge. Without a pick
 * nothing is at stake, and a game that ends so returns it.
 */
export function safePicksMultiplier(
  mines: number,
  picks: number,
  { edgeBps }: Pick<PayTerms, 'edgeBps'>,
): Rational {
  if (picks === 0) return { numerator: 1n, denominator: 1n }
  let numerator = BigInt(10_000 - edgeBps)
  let denominator = 10_000n
  for (let pick = 0; pick < picks; pick++) {
    numerator *= BigInt(TILES - pick)
    denominator *= BigInt(TILES - mines - pick)
  }
  return { numerator, denominator }
}

/** The limits on a game's picks, in smallest units. */
interface PickLimits extends Pick<PayTerms, 'edgeBps'> {
  amountWei: bigint
  mines: number
  maxPayout: bigint
}

/** Returns the largest number of picks that pays at most `maxPayout`, and leaves a safe tile for each. */
export function maxPicksOf({ amountWei, mines, edgeBps, maxPayout }: PickLimits): number {
  let picks = 1
  while (picks < TILES - mines) {
    const more = scaleDown(amountWei, safePicksMultiplier(mines, picks + 1, { edgeBps }))
    if (more > maxPayout) break
    picks++
  }
  return picks
}
