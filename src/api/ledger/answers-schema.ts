import { z } from 'zod'
import type { Me } from '../../ledger/me.ts'
import {
  amount,
  count,
  describes,
  describedComponent,
  orNull,
  perToken,
  token,
  unixMs,
} from '../http/answers-schema.ts'

export const Chips = perToken(
  amount('Available chips'),
  'The chips that the wallet can bet, play or withdraw.',
)

const OpenBet = describedComponent('OpenBet', 'An open bet.', {
  roundId: count("The bet's round."),
  token,
  amountWei: amount('The stake'),
  autoCashout: z
    .number()
    .nullable()
    .describe('The multiplier of the automatic cash-out; null if none was set.'),
  placedAt: unixMs('When the ledger took the stake'),
})

export const MeAnswer = describes<Me>()(
  describedComponent('Me', "The wallet's own state.", {
    chips: Chips,
    quarantine: perToken(
      amount('In quarantine'),
      "Deposits above the player's own limits. They can only be withdrawn, and a withdrawal takes them first.",
    ),
    openBet: orNull(
      'The open bet; null after a cash-out, a reached auto-cash-out or the crash.',
      OpenBet,
    ),
    nonce: count('The nonce of the next withdrawal.'),
  }),
)
