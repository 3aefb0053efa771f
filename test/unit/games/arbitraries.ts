import { bytesToHex } from '@noble/hashes/utils'
import * as fc from 'fast-check'
import { MAX_MULTIPLIER } from '../../../src/money/multiplier.ts'
import { KENO_NUMBERS, MAX_PICKS } from '../../../src/games/keno.ts'
import { TILES } from '../../../src/games/mines.ts'
import type { Selection } from '../../../src/games/play.ts'
import { MAX_ROWS, MIN_ROWS } from '../../../src/games/plinko.ts'
import { KENO_RISKS, newestTables, RISKS } from '../../../src/games/tables.ts'
import { commitmentOf } from '../../../src/fairness/seed.ts'

const distinct = (min: number, max: number, most: number) =>
  fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: most })

const mines = fc
  .tuple(fc.integer({ min: 1, max: TILES - 1 }), distinct(0, TILES - 1, TILES - 1))
  .map(([count, tiles]): Selection => {
    const picked = tiles.slice(0, Math.max(1, TILES - count))
    return { game: 'mines', params: { mines: count, picked } }
  })
const limbo = fc
  .integer({ min: 101, max: MAX_MULTIPLIER })
  .map((target): Selection => ({ game: 'limbo', params: { target } }))
const plinko = fc
  .record({
    risk: fc.constantFrom(...RISKS),
    rows: fc.integer({ min: MIN_ROWS, max: MAX_ROWS }),
  })
  .map((params): Selection => ({ game: 'plinko', params }))
const keno = fc
  .record({ risk: fc.constantFrom(...KENO_RISKS), picks: distinct(1, KENO_NUMBERS, MAX_PICKS) })
  .map((params): Selection => ({ game: 'keno', params }))
/** Everything that can be chosen. */
export const selections = fc.oneof(mines, limbo, plinko, keno)

const hex = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytesToHex)
/** Everything that can be drawn. */
export const draws = fc
  .record({ seed: hex, clientSeed: fc.string({ minLength: 1, maxLength: 64 }), nonce: fc.nat() })
  .map((draw) => ({ ...draw, seedHash: commitmentOf(draw.seed) }))
/** Everything that can be paid by. */
export const payTerms = fc.record({
  edgeBps: fc.integer({ min: 0, max: 5_000 }),
  tables: fc.integer({ min: 1, max: newestTables() }),
})
export const amounts = fc.bigInt({ min: 1n, max: 10n ** 24n })
