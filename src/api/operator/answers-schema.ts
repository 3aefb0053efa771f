import { z } from 'zod'
import { ACTS, type ActName, type KeptAct } from '../../operator/act.ts'
import type { ModesVersion } from '../../operator/modes.ts'
import {
  component,
  count,
  describes,
  flag,
  ok,
  oneOf,
  text,
  unixMs,
} from '../http/answers-schema.ts'

export const NextActAnswer = component('NextActAnswer', {
  ok,
  nonce: count("The nonce of the owner's next act."),
})

export const ModesAnswer = component('ModesAnswer', {
  ok,
  version: describes<ModesVersion | null>()(
    z
      .object({
        number: count('The number of the version, from 1.'),
        at: unixMs('When it was set'),
        takesEffectAt: unixMs('When it takes effect'),
        modes: z
          .record(z.string(), z.enum(['draining', 'closed']))
          .describe('What is not open, by the name of its switch.'),
        terms: z
          .record(z.string(), z.union([z.number(), z.boolean(), z.record(z.string(), z.string())]))
          .describe(
            'The terms of play that operators have set, by name. The others hold as configured.',
          ),
        prevHash: text('The hash of the version before it; 64 zeros for the first.'),
        hash: text(
          'The sha256 of the canonical JSON of the other fields. So it commits to all versions before it.',
        ),
      })
      .nullable(),
  ).describe('The newest version; null if nothing has ever been set.'),
})

export const ActAnswer = component('ActAnswer', {
  ok,
  act: describes<KeptAct>()(
    z.object({
      act: oneOf('The kind of act.', Object.keys(ACTS) as ActName[]),
      target: text('The target of the act.'),
      reason: text('The reason.'),
      nonce: count("The act's nonce."),
      expiresAt: count('When the act expires, in unix seconds.'),
      at: unixMs('When the act was accepted'),
      result: z
        .object({
          isDone: flag('Whether the act was carried out.'),
          message: text('The result, for the operator.'),
        })
        .nullable()
        .describe('The result; null while the act is in progress.'),
    }),
  ).describe('The act as stored in the journal.'),
})
