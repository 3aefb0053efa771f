import type { End } from './rules.ts'

const WORDS: Record<Exclude<End['reason'], 'refused'>, string> = {
  stopped: 'You stopped it',
  left: 'You were away for a while',
  off: 'Automatic bets are turned off here',
  count: 'All bets are made',
  profit: 'The profit is reached',
  loss: 'The next bet could exceed the loss',
}

const REFUSALS: Record<string, string> = {
  unreachable: 'The service doesn’t answer. See your last plays for the last bet',
  insufficient_chips: 'Not enough chips',
  amount_out_of_bounds: 'The stake is outside the limits',
  payout_limit: 'The bet could win more than the limit',
  nonce_mismatch: 'You have played elsewhere meanwhile',
  idempotency_conflict: 'You have played elsewhere meanwhile',
  bet_exists: 'You have bet elsewhere in this round',
  rate_limited: 'Too many requests',
  limit_reached: 'One of your limits is reached',
  excluded: 'You have excluded yourself',
}

/** Returns why automatic betting has ended. */
export function sayEnd(end: End): string {
  return end.reason === 'refused'
    ? (REFUSALS[end.code] ?? 'The service refused the bet')
    : WORDS[end.reason]
}
