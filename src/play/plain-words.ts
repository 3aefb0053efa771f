import type { Token } from '../money/token.ts'
import { exactAmount } from './amounts.ts'
import type { Problem } from './api.ts'

/** What the service says of these is for programs. `{name}` is an amount among the details. */
const WORDS: Partial<Record<Problem['code'], string>> = {
  amount_out_of_bounds: 'Choose an amount from {min} to {max}.',
  insufficient_chips: 'You have {available} in chips. Deposit more, or bet less.',
  payout_limit: 'This could win more than the house pays at once. Bet {maxAmountWei} at most.',
  betting_closed: 'Betting on this round has just closed. You can bet on the next one.',
  bet_exists: 'You already have a bet in this round.',
  no_open_bet: 'You have no bet in this round.',
  not_in_flight: 'The round has not taken off yet.',
  already_crashed: 'Too late: it had crashed.',
  auth_required: 'Sign in first: one signature lasts all day.',
  auth_invalid: 'Your sign-in has run out. Sign in again: one signature lasts all day.',
  rate_limited: 'Too many tries at once. Wait a second and try again.',
}

/** Whether a problem names other chips than those the player has by now, in smallest units. */
export function isOutdated({ code, details }: Problem, chips: string | undefined): boolean {
  if (code !== 'insufficient_chips' || !details || Array.isArray(details)) return false
  return chips !== undefined && details['available'] !== chips
}

/** What a problem means to a player, and what to do. Amounts in it are of this token. */
export function plainWords({ code, message, details }: Problem, token: Token): string {
  const values = details && !Array.isArray(details) ? details : {}
  const words = WORDS[code]?.replaceAll(/\{(\w+)\}/g, (hole, name: string) => {
    const value = values[name]
    return typeof value === 'string' ? `${exactAmount(value, token)} ${token}` : hole
  })
  return words === undefined || words.includes('{') ? message : words
}
