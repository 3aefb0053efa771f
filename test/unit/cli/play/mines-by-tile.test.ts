import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { pickByTile } from '../../../../src/cli/play/mines-by-tile.ts'
import type { Receipts } from '../../../../src/cli/play/receipts.ts'
import type { Player } from '../../../../src/cli/shared/player.ts'
import type { MinesGame } from '../../../../src/games/mines/open.ts'

const SENT = { token: 'USDG', amountWei: '1000000', clientSeed: 'mine', nonce: 7 }
const LIMITS = { edgeBps: 100, maxPayout: 1_285_714n }
const NOW = 1_800_000_000_000

beforeEach(() => {
  vi.useFakeTimers({ now: NOW, toFake: ['Date'] })
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const receipts = { check: async () => [] as never[] } as unknown as Receipts

/** Picks two tiles at a house that opens the game like this. */
async function failedAt(opened: Partial<MinesGame>) {
  const openMines = vi.fn(async (_game: object) => ({
    game: { nonce: 7, maxPicks: 2, openedAt: NOW, ...opened },
  }))
  const player = {
    openMines,
    pickMines: async () => ({ hit: false, game: { multiplier: 1 }, play: null }),
    cashOutMines: async () => ({ ok: true }),
  } as unknown as Player
  const { checks } = await pickByTile(player, receipts, SENT, { mines: 3, picked: [0, 6] }, LIMITS)
  const failed = checks.flatMap(({ claim, holds }) => (holds ? [] : [claim]))
  return { failed, sent: openMines.mock.lastCall?.[0] }
}

describe('a game of mines in the terminal', () => {
  it('asks for the last pick that the limits allow', async () => {
    const { failed, sent } = await failedAt({})
    expect(failed).toEqual([])
    expect(sent).toEqual({ ...SENT, params: { mines: 3 }, maxPicks: 2 })
  })

  it.each<[string, Partial<MinesGame>, string]>([
    ['ends with another pick', { maxPicks: 1 }, 'its last pick is the one you asked for, 2'],
    [
      'is dated back a day',
      { openedAt: NOW - 86_400_000 },
      'it opened just now, by your own clock',
    ],
  ])('fails if it %s', async (_what, opened, claim) => {
    expect((await failedAt(opened)).failed).toEqual([claim])
  })
})
