import { describe, expect, it } from 'vitest'
import { commitmentOf } from '../../../src/fairness/seed.ts'
import type { Selection } from '../../../src/games/games.ts'
import { settle } from '../../../src/games/play.ts'
import { playOf, playText, recordOf, type PlayRecord } from '../../../src/games/record.ts'

const SEED = '5e'.repeat(32)
const TERMS = { edgeBps: 100, tables: 1 }

const SELECTIONS: Selection[] = [
  { game: 'mines', params: { mines: 3, picked: [0, 7, 24] } },
  { game: 'limbo', params: { target: 250 } },
  { game: 'plinko', params: { rows: 12, risk: 'high' } },
  { game: 'keno', params: { picks: [1, 10, 40], risk: 'classic' } },
]

/** A play as it was answered, and what a journal keeps of it. */
function recorded(selection: Selection) {
  const stake = { token: 'USDG', amountWei: 1_234_567n } as const
  const draw = { seed: SEED, seedHash: commitmentOf(SEED), clientSeed: 'mine', nonce: 7 }
  const nextSeedHash = commitmentOf('ab'.repeat(32))
  const answered = { ...settle(selection, stake, draw, TERMS), nextSeedHash, settledAt: 1_000 }
  const request = playText({
    selection,
    ...stake,
    clientSeed: 'mine',
  })
  const record = recordOf(answered)
  const entry = { nonce: 7, request, seed: SEED, record, nextSeedHash, settledAt: 1_000 }
  return { answered, entry }
}

describe('a recorded play', () => {
  it.each(SELECTIONS)('of $game is answered again byte for byte', (selection) => {
    const { answered, entry } = recorded(selection)
    expect(JSON.stringify(playOf(entry))).toBe(JSON.stringify(answered))
  })

  it('is not answered if the rules would pay another amount than was paid', () => {
    const { entry } = recorded(SELECTIONS[1]!)
    const [edgeBps, tables] = entry.record
    const record: PlayRecord = [edgeBps, tables, '1']
    expect(() => playOf({ ...entry, record })).toThrow('play 7 was paid 1')
  })
})
