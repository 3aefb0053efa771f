import { z } from 'zod'
import {
  address,
  amount,
  count,
  describes,
  ok,
  perToken,
  token,
  txHash,
} from '../http/answers-schema.ts'
import { MeAnswer } from '../ledger/answers-schema.ts'
import type { WithdrawalAnswer } from '../../ledger/withdrawal.ts'

export const WithdrawAnswer = describes<WithdrawalAnswer>()(
  z
    .object({
      ok,
      withdrawal: z
        .object({
          nonce: count('Its nonce.'),
          token,
          amountWei: amount('How much'),
          status: z.enum(['pending', 'submitted', 'confirmed', 'failed']).meta({
            description:
              'Accepted, sent to the chain, paid there, or given back because its nonce was burned.',
          }),
          txHash: txHash('The transaction that pays')
            .nullable()
            .meta({ description: 'The transaction that pays; null until it is sent.' }),
        })
        .meta({ description: 'How far the withdrawal is.' }),
      me: MeAnswer,
    })
    .meta({ id: 'WithdrawAnswer' }),
)

export const HouseTopupAnswer = z
  .object({
    ok,
    houseNeedsFunding: z
      .boolean()
      .meta({ description: "Whether the relayer's balance is under its reserve." }),
    house: perToken(amount('The bankroll'), "The house's bankroll."),
    relayer: z
      .object({
        address: address('Its account'),
        balanceWei: amount("What it has to pay gas with, of the chain's own coin"),
        reserveWei: amount("Below this it asks to be funded, of the chain's own coin"),
      })
      .meta({ description: 'The account that sends the withdrawals.' }),
  })
  .meta({ id: 'HouseTopupAnswer' })
