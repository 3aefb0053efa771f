import { z } from 'zod'
import { ACTS, type ActName, type KeptAct } from '../../operator/act.ts'
import { count, describes, ok, text, unixMs } from '../http/answers-schema.ts'

export const NextActAnswer = z
  .object({ ok, nonce: count("The nonce of the owner's next act.") })
  .meta({ id: 'NextActAnswer' })

export const ActAnswer = z
  .object({
    ok,
    act: describes<KeptAct>()(
      z.object({
        act: z.enum(Object.keys(ACTS) as ActName[]).meta({ description: 'The kind of act.' }),
        target: text('The target of the act.'),
        reason: text('The reason.'),
        nonce: count("The act's nonce."),
        expiresAt: count('When the act expires, in unix seconds.'),
        at: unixMs('When the act was accepted'),
        result: z
          .object({
            isDone: z.boolean().meta({ description: 'Whether the act was carried out.' }),
            message: text('The result, for the operator.'),
          })
          .nullable()
          .meta({ description: 'The result; null while the act is in progress.' }),
      }),
    ).meta({ description: 'The act as stored in the journal.' }),
  })
  .meta({ id: 'ActAnswer' })
