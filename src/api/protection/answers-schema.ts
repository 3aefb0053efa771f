import { z } from 'zod'
import { LIMIT_KINDS, LIMIT_WINDOWS } from '../../protection/limit.ts'
import type { ShownProtection } from '../../protection/shown.ts'
import {
  amount,
  component,
  count,
  describes,
  flag,
  ok,
  oneOf,
  orNull,
  perToken,
  record,
  records,
  signedAmount,
  text,
  token,
  unixMs,
} from '../http/answers-schema.ts'

const most = {
  amountWei: orNull('The most within the window; null for playing time.', amount('The most')),
  minutes: orNull('The most minutes of play; null for an amount.', count('The most minutes.')),
}

const limit = {
  kind: oneOf('What is limited.', LIMIT_KINDS),
  window: oneOf('The rolling window: 24 hours, 7 days or 30 days.', LIMIT_WINDOWS),
  token: orNull('The token; null for playing time.', token),
  ...most,
  from: unixMs('When this value took effect'),
  pending: orNull(
    'A looser value that waits to be confirmed; without amount and minutes the removal of the limit.',
    z.object({ ...most, from: unixMs('When it can be confirmed') }),
  ),
  used: text(
    'What the window has used: smallest units, below zero for a player who has won, or minutes, rounded up.',
  ).regex(/^-?\d+$/),
}

export const LimitsAnswer = describes<{ ok: true } & ShownProtection>()(
  component('Limits', {
    ok,
    limits: records("The player's limits.", limit),
    excluded: flag('Whether the player has excluded themselves from play.'),
    excludedUntil: orNull(
      'When the exclusion ends; null without one, and as long as its player has not asked for its end.',
      unixMs('When it ends'),
    ),
    session: record('The current session, which ends after 30 minutes without a stake.', {
      startedAt: orNull('Null outside of a session.', unixMs('When its first stake was made')),
      wagered: perToken(amount('Stakes and debits'), 'The stakes and debits since then.'),
      net: perToken(
        signedAmount('Payouts and credits less stakes and debits'),
        'The result since then. Open stakes count as lost.',
      ),
    }),
    realityCheckMinutes: orNull(
      'How many minutes of play lie between two reminders; null for none.',
      count('The minutes.'),
    ),
  }),
)
