import { z } from 'zod'
import { Credentials } from '../../api/http/schema.ts'
import { LimitsAnswer } from '../../api/protection/answers-schema.ts'
import {
  AmountKey,
  AmountLimit,
  ExcludeBody,
  ExclusionKey,
  RealityCheckBody,
  SessionKey,
  SessionLimit,
} from '../../api/protection/schema.ts'
import { DAY_MS } from '../../core/utc-day.ts'
import { signedAction } from '../bodies.ts'
import { NOW, SIGNED, STAKE } from '../examples.ts'
import type { Call, TagOperation } from '../operation.ts'

const key = { kind: 'loss', window: 'day', token: 'USDG' }

const limit = {
  ...key,
  amountWei: '50000000',
  minutes: null,
  from: NOW,
  pending: null,
  used: STAKE,
}

const limits = {
  ok: true,
  limits: [limit],
  excluded: false,
  excludedUntil: null,
  session: {
    startedAt: NOW,
    wagered: { ETH: '0', USDG: STAKE },
    net: { ETH: '0', USDG: `-${STAKE}` },
  },
  realityCheckMinutes: 30,
}

const pending = { amountWei: '80000000', minutes: null, from: NOW + DAY_MS }

/** The common part of every change. */
const change = {
  caller: 'wallet',
  limit: 'money',
  networkLimit: 'newWallets',
  answers: { 200: LimitsAnswer },
  refusals: ['ledger_full', 'archive_unavailable', 'closed'],
} satisfies Partial<Call>

export const protectionOperations: TagOperation[] = [
  {
    method: 'get',
    path: '/api/limits',
    id: 'getLimits',
    summary: "A player's limits, and what they have used of them",
    name: 'limits',
    description:
      'Windows are rolling. `loss` is stakes and debits less payouts and credits, with open stakes counted as lost; `wager` is stakes and debits; `deposit` is what became chips, before its fee; `session` is the time between stakes less than 30 minutes apart, and a minute for the first of each session. Playing time counts from the session of the first change that the player makes here; everything else counts from before it too.',
    caller: 'wallet',
    limit: 'reads',
    query: Credentials,
    answers: { 200: LimitsAnswer },
    refusals: ['archive_unavailable'],
    example: { query: SIGNED, answer: limits },
  },
  {
    method: 'post',
    path: '/api/limits',
    id: 'postLimits',
    summary: 'Limit or end your play',
    calls: [
      {
        ...change,
        name: 'set',
        summary: 'Set a limit',
        description:
          'A new or tighter limit takes effect at once. A looser one is `pending`: the old one holds until you confirm the new one, 24 hours later at the earliest.',
        body: z.discriminatedUnion('kind', [
          signedAction('set', AmountLimit).meta({ id: 'SetAmountLimit' }),
          signedAction('set', SessionLimit).meta({ id: 'SetSessionLimit' }),
        ]),
        example: {
          body: { action: 'set', ...SIGNED, ...key, amountWei: '80000000' },
          answer: { ...limits, limits: [{ ...limit, pending }] },
        },
      },
      {
        ...change,
        name: 'confirm',
        summary: 'Confirm a looser limit',
        description: 'Without anything pending it changes nothing, so it is safe to repeat.',
        body: z.discriminatedUnion('kind', [
          signedAction('confirm', AmountKey).meta({ id: 'ConfirmAmountLimit' }),
          signedAction('confirm', SessionKey).meta({ id: 'ConfirmSessionLimit' }),
        ]),
        refusals: ['too_early', 'ledger_full', 'archive_unavailable', 'closed'],
        example: {
          body: { action: 'confirm', ...SIGNED, ...key },
          answer: { ...limits, limits: [{ ...limit, amountWei: '80000000' }] },
        },
      },
      {
        ...change,
        name: 'remove',
        summary: 'Remove a limit, or end an exclusion without days',
        description:
          'A limit is removed like a looser one: 24 hours later, once you confirm it. With kind `exclusion` you ask for the end of an exclusion without days, which comes 7 days later; one with days is never shortened.',
        body: z.discriminatedUnion('kind', [
          signedAction('remove', AmountKey).meta({ id: 'RemoveAmountLimit' }),
          signedAction('remove', SessionKey).meta({ id: 'RemoveSessionLimit' }),
          signedAction('remove', ExclusionKey).meta({ id: 'EndExclusion' }),
        ]),
        example: {
          body: { action: 'remove', ...SIGNED, ...key },
          answer: {
            ...limits,
            limits: [{ ...limit, pending: { ...pending, amountWei: null } }],
          },
        },
      },
      {
        ...change,
        name: 'exclude',
        summary: 'Exclude yourself from play',
        description:
          'Holds at once, for bets, plays, partners’ debits and box purchases. It is never shortened, and the latest end counts. Open bets still settle, and withdrawals always work.',
        body: signedAction('exclude', ExcludeBody),
        example: {
          body: { action: 'exclude', ...SIGNED, days: 30 },
          answer: { ...limits, excluded: true, excludedUntil: NOW + 30 * DAY_MS },
        },
      },
      {
        ...change,
        name: 'reality-check',
        summary: 'Be reminded of the time',
        description: 'The page shows the reminder. It limits nothing, and changes at once.',
        body: signedAction('reality-check', RealityCheckBody),
        example: { body: { action: 'reality-check', ...SIGNED, minutes: 30 }, answer: limits },
      },
    ],
  },
]
