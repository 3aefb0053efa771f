import { describe, expect, it } from 'vitest'
import { rarity } from '../../../../src/play/lootbox/rarity.ts'

const classesOf = (odds: number[]) => odds.map((_, tier) => rarity(tier, odds))

describe('the colour of a tier', () => {
  it('differs for Epic, Share and Legendary', () => {
    expect(new Set(classesOf([5_500, 2_500, 1_000, 700, 300])).size).toBe(5)
  })

  it('depends on the tier’s rarity, not its position', () => {
    expect(classesOf([300, 9_700])).toEqual(['rarity-1', 'rarity-0'])
  })

  it('differs for equally likely tiers', () => {
    expect(classesOf([5_000, 2_500, 2_500])).toEqual(['rarity-0', 'rarity-1', 'rarity-2'])
  })

  it('is shared by the rarest of many', () => {
    expect(classesOf(Array.from({ length: 8 }, () => 1_250)).slice(5)).toEqual([
      'rarity-5',
      'rarity-5',
      'rarity-5',
    ])
  })
})
