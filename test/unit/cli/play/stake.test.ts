import { describe, expect, it } from 'vitest'
import { expectWithin } from '../../../../src/cli/play/stake.ts'
import { CommandError } from '../../../../src/cli/shared/terminal.ts'

const OPEN = { min: '10000', max: '5000000' }
const POOR = { min: '10000', max: '0' }
const stake = (amountWei: bigint) => ({ token: 'USDG', amountWei }) as const

describe('the stake of npm run play', () => {
  it('may be the smallest or the largest', () => {
    for (const amountWei of [10_000n, 5_000_000n]) {
      expect(() => expectWithin(stake(amountWei), { ETH: POOR, USDG: OPEN })).not.toThrow()
    }
  })

  it('is refused with the bounds if it is outside of them', () => {
    for (const amountWei of [9_999n, 5_000_001n]) {
      expect(() => expectWithin(stake(amountWei), { ETH: OPEN, USDG: OPEN })).toThrow(
        new CommandError('The stake is out of bounds. Bet from 0.01 USDG to 5 USDG.'),
      )
    }
  })

  it('is refused with the other token if the house has too little of this one', () => {
    expect(() => expectWithin(stake(1_000_000n), { ETH: OPEN, USDG: POOR })).toThrow(
      new CommandError(
        'No bets in USDG are accepted now: the house has too little USDG. Try --token ETH.',
      ),
    )
    expect(() => expectWithin(stake(1_000_000n), { ETH: POOR, USDG: POOR })).toThrow(
      /Try again later\.$/,
    )
  })
})
