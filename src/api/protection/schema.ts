import { z } from 'zod'
import { MINUTE_MS } from '../../core/utc-day.ts'
import { LIMIT_WINDOWS, WINDOW_MS } from '../../protection/limit.ts'
import { MAX_EXCLUDED_DAYS } from '../../protection/protection.ts'
import { AmountWei, TokenName, WholeNumber } from '../http/schema.ts'

/** The bodies of POST /api/limits, by action; `wallet` and `authSig` are read before them. */

const MAX_MINUTES = WINDOW_MS.month / MINUTE_MS

/** The longest time between two reality checks, in minutes. */
const MAX_CHECK_MINUTES = 1_440

const window = z.enum(LIMIT_WINDOWS).describe('The rolling window: 24 hours, 7 days or 30 days.')

export const AmountKey = z.object({
  kind: z
    .enum(['loss', 'wager', 'deposit'])
    .describe('Net losses, open stakes included; all stakes and debits; or deposits.'),
  window,
  token: TokenName,
})

export const SessionKey = z.object({
  kind: z.literal('session').describe('The time played.'),
  window,
})

export const ExclusionKey = z.object({
  kind: z.literal('exclusion').describe('An exclusion without days.'),
})

export const AmountLimit = AmountKey.extend({
  amountWei: AmountWei.describe("The most within the window, in the token's smallest unit."),
})

export const SessionLimit = SessionKey.extend({
  minutes: WholeNumber(1, MAX_MINUTES).describe('The most minutes of play within the window.'),
})

export const SetBody = z.discriminatedUnion('kind', [AmountLimit, SessionLimit])

export const ConfirmBody = z.discriminatedUnion('kind', [AmountKey, SessionKey])

export const RemoveBody = z.discriminatedUnion('kind', [AmountKey, SessionKey, ExclusionKey])

export const ExcludeBody = z.object({
  days: WholeNumber(1, MAX_EXCLUDED_DAYS)
    .nullable()
    .describe('How many days it lasts; null until 7 days after you ask for its end.'),
})

export const RealityCheckBody = z.object({
  minutes: WholeNumber(1, MAX_CHECK_MINUTES)
    .nullable()
    .describe('How many minutes of play lie between two reminders; null for none.'),
})
