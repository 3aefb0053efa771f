import { z } from 'zod'
import { amount, count, describes, perToken, token, unixMs } from '../http/answers-schema.ts'
import type { Me } from '../../ledger/me.ts'

export const Chips = perToken(amount('Free chips'), 'What the wallet can bet, play or withdraw.')

const OpenBet = z
  .object({
    roundId: count('The round it is in.'),
    token,
    amountWei: amount('The stake'),
    autoCashout: z
      .number()
      .nullable()
      .meta({ description: 'The multiplier it is cashed out at by itself; null if none was set.' }),
    placedAt: unixMs('When the round took it'),
  })
  .meta({ id: 'OpenBet', description: 'A bet that is not over.' })

export const MeAnswer = describes<Me>()(
  z
    .object({
      chips: Chips,
      openBet: OpenBet.nullable().meta({
        description: 'The bet under way; null from cash-out, reached auto-cash-out or crash on.',
      }),
      nonce: count('The nonce of the next withdrawal.'),
    })
    .meta({ id: 'Me', description: 'What the wallet sees of itself.' }),
)
