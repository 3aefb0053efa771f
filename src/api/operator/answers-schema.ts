import { z } from 'zod'
import { count, describes, ok, text, unixMs } from '../http/answers-schema.ts'
import { ACTS, type ActName, type KeptAct } from '../../operator/act.ts'

export const NextActAnswer = z
  .object({ ok, nonce: count("The nonce of the owner's next act.") })
  .meta({ id: 'NextActAnswer' })

export const ActAnswer = z
  .object({
    ok,
    act: describes<KeptAct>()(
      z.object({
        act: z.enum(Object.keys(ACTS) as ActName[]).meta({ description: 'What was ordered.' }),
        target: text('What it was done to.'),
        reason: text('Why.'),
        nonce: count('Its number.'),
        expiresAt: count('Until when it could be accepted, in unix seconds.'),
        at: unixMs('When it was accepted'),
        result: z
          .object({
            isDone: z.boolean().meta({ description: 'Whether it was carried out.' }),
            message: text('What came of it.'),
          })
          .nullable()
          .meta({ description: 'What came of it; null while it is being carried out.' }),
      }),
    ).meta({ description: 'The act as the journal keeps it.' }),
  })
  .meta({ id: 'ActAnswer' })
