import { z } from 'zod'
import type { WithdrawalAnswer } from '../../ledger/withdrawal.ts'
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

export const WithdrawAnswer = describes<WithdrawalAnswer>()(
  z
    .object({
      ok,
      withdrawal: z
        .object({
          nonce: count("The withdrawal's nonce."),
          token,
          amountWei: amount('The amount'),
          status: z.enum(['pending', 'submitted', 'confirmed', 'failed']).meta({
            description:
              'The status: accepted, sent to the chain, paid there, or refunded because its nonce was burned.',
          }),
          txHash: txHash('The transaction that pays')
            .nullable()
            .meta({ description: 'The transaction that pays; null until it is sent.' }),
        })
        .meta({ description: 'The withdrawal.' }),
      me: MeAnswer,
    })
    .meta({ id: 'WithdrawAnswer' }),
)

export const HouseTopupAnswer = z
  .object({
    ok,
    houseNeedsFunding: z
      .boolean()
      .meta({ description: "Whether the relayer's balance is below its reserve." }),
    house: perToken(amount('The bankroll'), "The house's bankroll."),
    relayer: z
      .object({
        address: address("The relayer's account"),
        balanceWei: amount("The relayer's balance for gas, in the chain's native coin"),
        reserveWei: amount(
          "The balance below which the relayer needs funding, in the chain's native coin",
        ),
      })
      .meta({ description: 'The relayer, which sends the withdrawals.' }),
  })
  .meta({ id: 'HouseTopupAnswer' })
