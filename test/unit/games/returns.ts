import { minesMultiplier, TILES } from '../../../src/games/mines.ts'
import { choose, kenoReturn, percent, plinkoReturn } from '../../../src/games/returns.ts'
import { newestTables, payTables } from '../../../src/games/tables.ts'
import type { Rational } from '../../../src/money/rational.ts'

/** The games' exact returns as reference/returns.md shows them. */

const TWO_POW_52 = 2n ** 52n

/** k picks are safe in C(25 − m, k) of C(25, k) boards. */
export function minesReturn(mines: number, picks: number, edgeBps: number): Rational {
  const picked = Array.from({ length: picks }, (_, tile) => tile)
  const { numerator, denominator } = minesMultiplier({ mines, picked }, edgeBps)
  return {
    numerator: numerator * choose(TILES - mines, picks),
    denominator: denominator * choose(TILES, picks),
  }
}

/** A target in hundredths is reached by floor((10000 − edge) · 2^52 / (100 · target)) of 2^52 numbers. */
export function limboWins(target: number, edgeBps: number): bigint {
  return (BigInt(10_000 - edgeBps) * TWO_POW_52) / (100n * BigInt(target))
}

export function limboReturn(target: number, edgeBps: number): Rational {
  const numerator = limboWins(target, edgeBps) * BigInt(target)
  return { numerator, denominator: 100n * TWO_POW_52 }
}

export const LIMBO_TARGETS = [
  101, 110, 150, 200, 333, 1_000, 12_345, 100_000, 1_000_000, 10_000_000, 100_000_000,
]

const EDGE_BPS = 100

/** reference/returns.md: every table's exact return. */
export function returnsPage(): string {
  const table = (head: string[], rows: string[][]) =>
    [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
  const tables = payTables(newestTables())
  const plinko = Object.entries(tables.plinko).map(([rows, risks]) => [
    rows,
    ...Object.values(risks).map((pays) => percent(plinkoReturn(pays), 4)),
  ])
  const kenoPicks = Object.keys(tables.keno.classic).map(Number)
  const keno = kenoPicks.map((picks) => [
    String(picks),
    ...Object.values(tables.keno).map((byPicks) => percent(kenoReturn(byPicks[picks] ?? []), 4)),
  ])
  const counts = Array.from({ length: TILES - 1 }, (_, index) => index + 1)
  const mines = counts.map((count) => [
    String(count),
    ...counts.map((picks) =>
      picks + count <= TILES
        ? percent(minesReturn(count, picks, EDGE_BPS), 0).replace('.0 %', '')
        : '',
    ),
  ])
  const limbo = LIMBO_TARGETS.map((target) => [
    `${(target / 100).toFixed(2)}x`,
    limboWins(target, EDGE_BPS).toString(),
    percent(limboReturn(target, EDGE_BPS), 10),
  ])
  return `# What the games return

Of every unit staked, this much comes back on average: each outcome's exact probability times what it
pays, summed as fractions, with no sampling. Mines and limbo are shown with the default edge of 1 %
(\`edgeBps\` in the configuration); the edge of plinko and keno is in their tables, of which this is
version ${newestTables()} (\`tables\` in the configuration). This page is written
by \`npm run returns\`, and a test holds it against the rules.

## Plinko, by rows and risk

${table(['rows', 'low', 'medium', 'high'], plinko)}

## Keno, by picks and risk

${table(['picks', ...Object.keys(tables.keno)], keno)}

## Limbo, by target

Each of the 2⁵² = ${TWO_POW_52} numbers is equally likely. The return is one less the edge, to within
2⁻⁵² of the target.

${table(['target', 'numbers that reach it', 'return'], limbo)}

## Mines, by mines (down) and picks (across), in percent

Exact in every cell: the multiplier is the inverse of the chance, less the edge. Rounding a payout down
to a whole smallest unit is all that is lost.

${table(['', ...counts.map(String)], mines)}
`
}
