import { refuse } from '../core/refusal.ts'

export const BETTING_CLOSED = refuse(
  'betting_closed',
  'Betting for this round has closed. Bet in the next round.',
)
export const NO_BET = refuse('no_open_bet', 'You have no bet in this round. Bet in the next round.')
