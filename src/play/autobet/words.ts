import type { End } from './rules.ts'

const WORDS: Record<Exclude<End['reason'], 'refused'>, string> = {
  stopped: 'You stopped it',
  left: 'You were away for a while',
  off: 'Automatic bets are turned off here',
  count: 'All bets placed',
  profit: 'Profit target reached',
  loss: 'The next bet could exceed your loss limit',
  missed: 'A round was missed or void',
  strategy: 'The strategy is finished',
}

const REFUSALS: Record<string, string> = {
  unreachable: 'The service isn’t answering. Check your last plays for the latest bet',
  insufficient_chips: 'Not enough chips',
  amount_out_of_bounds: 'The stake is outside the limits',
  payout_limit: 'The bet could win more than the limit',
  nonce_mismatch: 'You’ve since played in another tab or device',
  idempotency_conflict: 'You’ve since played in another tab or device',
  bet_exists: 'You’ve bet in this round from another tab or device',
  rate_limited: 'Too many requests',
  limit_reached: 'One of your limits is reached',
  strategy_failed: 'The strategy failed. Simulate it to see why',
  strategy_stake: 'The strategy wanted more than your largest stake',
  terms_changed: 'The terms of play have changed',
  unverified: 'A result doesn’t match your play. Verify it and save the proof',
  excluded: 'You have excluded yourself',
}

/** Returns why automatic betting has ended. */
export function sayEnd(end: End): string {
  return end.reason === 'refused'
    ? (REFUSALS[end.code] ?? 'The service refused the bet')
    : WORDS[end.reason]
}
