import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { publicConfig } from '../../../src/api/games/config.ts'
import { readPlays } from '../../../src/cli/verify/plays.ts'
import { commitmentOf } from '../../../src/fairness/seed.ts'
import { newestTables, type Selection } from '../../../src/games/games.ts'
import { KENO_TABLES } from '../../../src/games/keno/tables.ts'
import { settle } from '../../../src/games/play.ts'
import { PLINKO_TABLES } from '../../../src/games/plinko/tables.ts'
import { tableOf } from '../../../src/games/tables.ts'
import { verifyPlay } from '../../../src/verify/play.ts'
import { TERMS } from '../support/builders.ts'
import { registerSecondTables } from './second-tables.ts'

const SEED = '9f7e2493d3e64681667295f3a2ffd7da0fcf1d24181bbb1ca71df589304e878d'

const BY_TABLE: Selection[] = [
  { game: 'plinko', params: { risk: 'low', rows: 12 } },
  { game: 'keno', params: { picks: [19, 29, 5], risk: 'low' } },
]
const BY_EDGE: Selection[] = [
  { game: 'mines', params: { mines: 3, picked: [0, 1] } },
  { game: 'limbo', params: { target: 150 } },
]

/** A disclosed winning play. */
function disclosed(selection: Selection, tables: number) {
  const draw = { seed: SEED, seedHash: commitmentOf(SEED), clientSeed: 'v750-_nL', nonce: 1 }
  const stake = { token: 'USDG' as const, amountWei: 1_000_000n }
  return settle(selection, stake, draw, { edgeBps: 100, tables })
}

const checks = (play: object) => readPlays(play, 'it').flatMap((read) => verifyPlay(read))
const holds = (play: object) => checks(play).every((check) => check.holds)

describe('each version of the pay tables', () => {
  it.each([[1, '96fa50f62640add509ecceffdd2c8b0f']])(
    '%i is unchanged since plays were paid by it',
    (version, digest) => {
      const text = JSON.stringify({
        plinko: tableOf(PLINKO_TABLES, version),
        keno: tableOf(KENO_TABLES, version),
      })
      expect(createHash('sha256').update(text).digest('hex').slice(0, 32)).toBe(digest)
    },
  )
})

describe('with a second version of the pay tables', () => {
  let takeBack: () => void
  beforeEach(() => (takeBack = registerSecondTables()))
  afterEach(() => takeBack())

  it('the newest version is played and shown', () => {
    const limits = { min: '1', max: '1', maxPayout: '1' }
    const rules = { edgeBps: 100, limits: { ETH: limits, USDG: limits } }
    expect(newestTables()).toBe(2)
    const shown = publicConfig(rules, null, TERMS, [])
    expect(shown.tables).toBe(2)
    expect(shown).toMatchObject({ kenoTables: { classic: { 1: [0.01, 3.97] } } })
  })

  it.each(BY_TABLE)(
    'a past play of $game still verifies against the version that paid it',
    (game) => {
      const [past, present] = [disclosed(game, 1), disclosed(game, 2)]
      expect(past.win).toBe(true)
      expect(present.payout).not.toBe(past.payout)
      expect([holds(past), holds(present)]).toEqual([true, true])
      const claims = checks(past).map(({ claim }) => claim)
      expect(claims).toContainEqual(
        expect.stringContaining(`it pays ${past.multiplier}x by pay tables 1, or `),
      )
    },
  )

  it.each(BY_TABLE)('a play of $game is checked against the version it names', (game) => {
    expect(holds({ ...disclosed(game, 2), tables: 1 })).toBe(false)
    expect(holds({ ...disclosed(game, 1), tables: 2 })).toBe(false)
  })

  it.each(BY_EDGE)('a play of $game pays the same', (game) => {
    expect(disclosed(game, 2).payout).toBe(disclosed(game, 1).payout)
  })
})

describe('with a second version of the tables of one game', () => {
  let takeBack: () => void
  beforeEach(() => (takeBack = registerSecondTables(['keno'])))
  afterEach(() => takeBack())

  it('the other game pays by its first version in both', () => {
    const [plinko, keno] = BY_TABLE.map((game) => [disclosed(game, 1), disclosed(game, 2)])
    expect(plinko?.[1]?.payout).toBe(plinko?.[0]?.payout)
    expect(keno?.[1]?.payout).not.toBe(keno?.[0]?.payout)
    expect([...(plinko ?? []), ...(keno ?? [])].map(holds)).toEqual([true, true, true, true])
  })
})

it('a play with unknown tables is refused, not reported as false', () => {
  const play = { ...disclosed(BY_TABLE[0]!, 1), tables: 2 }
  expect(() => readPlays(play, 'it')).toThrow(/names pay tables that this version does not know/)
})
