import { z } from 'zod'
import { ACTS, type ActName, type KeptAct } from '../../operator/act.ts'
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
