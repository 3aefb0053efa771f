import { z } from 'zod'
import type { Me } from '../../ledger/me.ts'
import { amount, count, describes, perToken, token, unixMs } from '../http/answers-schema.ts'

export const Chips = perToken(
  amount('Available chips'),
  'The chips that the wallet can bet, play or withdraw.',
)

const OpenBet = z
  .object({
    roundId: count("The bet's round."),
    token,
    amountWei: amount('The stake'),
    autoCashout: z
      .number()
      .nullable()
      .meta({ description: 'The multiplier of the automatic cash-out; null if none was set.' }),
    placedAt: unixMs('When the round accepted the bet'),
  })
  .meta({ id: 'OpenBet', description: 'An open bet.' })

export const MeAnswer = describes<Me>()(
  z
    .object({
      chips: Chips,
      openBet: OpenBet.nullable().meta({
        description: 'The open bet; null after a cash-out, a reached auto-cash-out or the crash.',
      }),
      nonce: count('The nonce of the next withdrawal.'),
    })
    .meta({ id: 'Me', description: "The wallet's own state." }),
)
