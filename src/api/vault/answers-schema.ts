import type { WithdrawalAnswer } from '../../ledger/withdrawal.ts'
import {
  address,
  amount,
  component,
  count,
  describes,
  flag,
  ok,
  oneOf,
  orNull,
  perToken,
  record,
  token,
  txHash,
} from '../http/answers-schema.ts'
import { MeAnswer } from '../ledger/answers-schema.ts'
import { receipt } from '../receipts/answers-schema.ts'

export const WithdrawAnswer = describes<WithdrawalAnswer>()(
  component('WithdrawAnswer', {
    ok,
    withdrawal: record('The withdrawal.', {
      nonce: count("The withdrawal's nonce."),
      token,
      amountWei: amount('The amount'),
      status: oneOf(
        'The status: accepted, sent to the chain, paid there, or refunded because its nonce was burned.',
        ['pending', 'submitted', 'confirmed', 'failed'],
      ),
      txHash: orNull(
        'The transaction that pays; null until it is sent.',
        txHash('The transaction that pays'),
      ),
    }),
    me: MeAnswer,
    receipt,
  }),
)

export const HouseTopupAnswer = component('HouseTopupAnswer', {
  ok,
  houseNeedsFunding: flag("Whether the relayer's balance is below its reserve."),
  house: perToken(amount('The bankroll'), "The house's bankroll."),
  relayer: record('The relayer, which sends the withdrawals.', {
    address: address("The relayer's account"),
    balanceWei: amount("The relayer's balance for gas, in the chain's native coin"),
    reserveWei: amount(
      "The balance below which the relayer needs funding, in the chain's native coin",
    ),
  }),
})
