import * as fc from 'fast-check'
import { commitmentOf } from '../../../src/fairness/seed.ts'
import type { ParamField } from '../../../src/games/fields.ts'
import { GAME_NAMES, newestTables, specOf, type Selection } from '../../../src/games/games.ts'
import { anySecret } from '../support/builders.ts'

function valuesOf(field: ParamField): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case 'whole':
    case 'hundredths':
      return fc.integer({ min: field.min, max: field.max })
    case 'choice':
      return fc.constantFrom(...field.options)
    case 'distinct':
      return fc.uniqueArray(fc.integer({ min: field.min, max: field.max }), {
        minLength: 1,
        maxLength: field.most,
      })
  }
}

/** Any selection. */
export const selections: fc.Arbitrary<Selection> = fc.oneof(
  ...GAME_NAMES.map((game) => {
    const spec = specOf(game)
    const fields: [string, ParamField][] = Object.entries(spec.params)
    return fc
      .record(Object.fromEntries(fields.map(([name, field]) => [name, valuesOf(field)])))
      .filter((chosen) => !spec.problem?.(chosen as never))
      .map((chosen) => ({ game, params: chosen }) as Selection)
  }),
)

/** Any draw. */
export const draws = fc
  .record({
    seed: anySecret,
    clientSeed: fc.string({ minLength: 1, maxLength: 64 }),
    nonce: fc.nat(),
  })
  .map((draw) => ({ ...draw, seedHash: commitmentOf(draw.seed) }))
/** Any payment terms. */
export const payTerms = fc.record({
  edgeBps: fc.integer({ min: 0, max: 5_000 }),
  tables: fc.integer({ min: 1, max: newestTables() }),
})
export const amounts = fc.bigInt({ min: 1n, max: 10n ** 24n })
