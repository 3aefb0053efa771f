import { TOKENS, type PerToken } from '../../money/token.ts'
import { showAmount } from '../shared/amounts.ts'
import { CommandError } from '../shared/terminal.ts'
import type { Wager } from './crash-game.ts'

/** Asserts that a stake is within bounds. @throws CommandError if it isn't */
export function expectWithin(
  { token, amountWei }: Pick<Wager, 'token' | 'amountWei'>,
  bounds: PerToken<{ min: string; max: string }>,
): void {
  const [min, max] = [BigInt(bounds[token].min), BigInt(bounds[token].max)]
  if (amountWei >= min && amountWei <= max) return
  if (max >= min) {
    throw new CommandError(
      `The stake is out of bounds. Bet from ${showAmount(min, token)} to ${showAmount(max, token)}.`,
    )
  }
  // The bankroll limits the stakes, and is far too small for the smallest.
  const other = TOKENS.find((each) => BigInt(bounds[each].max) >= BigInt(bounds[each].min))
  const advice = other ? `Try --token ${other}.` : 'Try again later.'
  throw new CommandError(
    `No bets in ${token} are accepted now: the house has too little ${token}. ${advice}`,
  )
}
