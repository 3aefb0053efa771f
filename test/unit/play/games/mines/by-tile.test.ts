import { describe, expect, it } from 'vitest'
import { fail } from '../../../../../src/play/api.ts'
import { playByTile, type Steps } from '../../../../../src/play/games/mines/by-tile.ts'

const LOST = fail('unreachable', 'no answer')
const OTHER_END = fail('unverified', 'it ended otherwise')

/** A game without mines, whose steps are noted. */
function gameOf(fields: Partial<Steps> = {}) {
  const taken: string[] = []
  const steps: Steps = {
    open: async () => ({ ok: true }),
    pick: async () => ({ play: null }),
    cashOut: async () => ({ payout: '300' }),
    ...fields,
  }
  const noted: Steps = {
    open: () => (taken.push('open'), steps.open()),
    pick: (tile) => (taken.push(`pick ${tile}`), steps.pick(tile)),
    cashOut: () => (taken.push('cash out'), steps.cashOut()),
  }
  return { taken, play: () => playByTile(5, [7, 3], noted) }
}

describe('a game played tile by tile', () => {
  it('is opened, picked in order and cashed out', async () => {
    const { taken, play } = gameOf()
    expect(await play()).toEqual({ kind: 'settled', id: 5, payoutWei: '300' })
    expect(taken).toEqual(['open', 'pick 7', 'pick 3', 'cash out'])
  })

  it('ends with the tile that ends it', async () => {
    const { taken, play } = gameOf({ pick: async () => ({ play: { payout: '0' } }) })
    expect(await play()).toEqual({ kind: 'settled', id: 5, payoutWei: '0' })
    expect(taken).toEqual(['open', 'pick 7'])
  })

  it.each(['open', 'pick', 'cashOut'] as const)(
    'says that an answer was lost: %s',
    async (name) => {
      const { play } = gameOf({ [name]: async () => LOST })
      expect(await play()).toEqual({ kind: 'refused', id: 5, code: 'unreachable' })
    },
  )

  it.each(['open', 'pick', 'cashOut'] as const)('does not settle unverified: %s', async (name) => {
    const { play } = gameOf({ [name]: async () => OTHER_END })
    expect(await play()).toEqual({ kind: 'refused', id: 5, code: 'unverified' })
  })

  it('has nothing to tell while another step is in progress', async () => {
    const { play } = gameOf({ pick: async () => null })
    expect(await play()).toBeNull()
  })
})
