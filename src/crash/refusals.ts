import { refuse } from '../core/refusal.ts'

export const BETTING_CLOSED = refuse(
  'betting_closed',
  'Betting for this round has closed. Bet in the next round.',
)
export const BETTING_WAITS = refuse(
  'betting_closed',
  'This round takes no bets until the public log has its plan. Try again in a few seconds.',
)
export const BET_EXISTS = refuse(
  'bet_exists',
  'You already have a bet in this round. Wait for the next round to bet again.',
)
export const CRASHED = refuse(
  'already_crashed',
  'The round has already crashed. Bet in the next round.',
)
export const NO_BET = refuse('no_open_bet', 'You have no bet in this round. Bet in the next round.')
