import { FUN, type Unit } from '../money/token.ts'
import { exactAmount } from './amounts.ts'
import type { Problem } from './api.ts'
import { amountOf, nameOf, type Limit } from './limits/words.ts'
import { timeOf } from './times.ts'

export const SIGNATURE_LASTS = 'One signature lasts until the end of tomorrow (UTC).'

/** Texts for players, where the service's message is for programs. `{name}` is an amount in the details. */
const WORDS: Partial<Record<Problem['code'], string>> = {
  invalid_request: 'That isn’t valid. Check it and try again.',
  amount_out_of_bounds: 'Choose an amount from {min} to {max}.',
  insufficient_chips: 'You have {available} in chips. Deposit more or bet less.',
  payout_limit: 'This bet could win more than the payout limit. Bet at most {maxAmountWei}.',
  bet_exists: 'You already have a bet in this round.',
  no_open_bet: 'You have no bet in this round.',
  not_in_flight: 'The round has not taken off yet.',
  already_crashed: 'Too late: the round had already crashed.',
  auth_required: `Sign in first. ${SIGNATURE_LASTS}`,
  auth_invalid: `Your sign-in has expired. Sign in again. ${SIGNATURE_LASTS}`,
  signature_invalid: 'The signature doesn’t match. Sign again with the wallet you signed in with.',
  wallet_frozen:
    'The operator has frozen your wallet: you can’t bet or withdraw. Open bets end as usual. Contact the operator.',
  rate_limited: 'Too many requests. Wait a few seconds and try again.',
}

/** Without an end: nobody has set one, or the service does not tell it without a signature. */
export const EXCLUDED =
  'You have excluded yourself from play. Limits shows until when. You can withdraw at any time.'

const FUN_WORDS: typeof WORDS = {
  insufficient_chips: 'You have {available}. Refill your fun chips or bet less.',
}

/** Whether a refusal for insufficient chips is out of date. @param chips the player's chips, in smallest units */
export function isOutdated({ code, details }: Problem, chips: string | undefined): boolean {
  if (code !== 'insufficient_chips' || !details || Array.isArray(details)) return false
  return chips !== undefined && details['available'] !== chips
}

/** Returns a problem in a player's words. Its amounts are in this token. */
export function plainWords({ code, message, details }: Problem, token: Unit): string {
  const values = details && !Array.isArray(details) ? details : {}
  if (code === 'amount_out_of_bounds' && isEmpty(values)) return message
  if (code === 'limit_reached') return limitWords(values as unknown as ReachedLimit)
  if (code === 'excluded') return exclusionWords(values['until'])
  const text = token === FUN ? (FUN_WORDS[code] ?? WORDS[code]) : WORDS[code]
  const words = text?.replaceAll(/\{(\w+)\}/g, (hole, name: string) => {
    const value = values[name]
    return typeof value === 'string' ? `${exactAmount(value, token)} ${token}` : hole
  })
  return words === undefined || words.includes('{') ? message : words
}

/** Whether no amount is within these bounds, as for a small balance, which may be withdrawn only as a whole. */
function isEmpty({ min, max }: Record<string, unknown>): boolean {
  return typeof min === 'string' && typeof max === 'string' && BigInt(min) > BigInt(max)
}

/** The details of a refusal by one of the player's limits. */
interface ReachedLimit extends Pick<Limit, 'kind' | 'window' | 'token'> {
  left: string
  resetsAt: number | null
}

function limitWords(limit: ReachedLimit): string {
  const { left, resetsAt } = limit
  const rest = `Your ${nameOf(limit).toLowerCase()} has ${amountOf(limit, BigInt(left))} left.`
  if (resetsAt === null) return `${rest} Bet less, or change the limit.`
  return `${rest} You can bet this from ${timeOf(resetsAt)}.`
}

function exclusionWords(until: unknown): string {
  return typeof until === 'number'
    ? `You have excluded yourself from play until ${timeOf(until)}. You can withdraw at any time.`
    : EXCLUDED
}
