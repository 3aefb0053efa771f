import { z } from 'zod'
import { AmountWei, Multiplier, QueryNumber, RoundId, TokenName, Wallet } from '../http/schema.ts'
import { MAX_AUTO_CASHOUT, MIN_AUTO_CASHOUT } from './bet.ts'

/** The bodies of POST /api/crash, by action; `wallet` and `authSig` are read before them. */

export const BetBody = z.object({
  token: TokenName,
  amountWei: AmountWei,
  autoCashout: Multiplier(MIN_AUTO_CASHOUT, MAX_AUTO_CASHOUT)
    .nullish()
    .meta({ description: 'The multiplier to cash out at by itself, with at most two decimals.' }),
  roundId: RoundId.nullish().meta({
    description:
      'The round to bet in, which makes the call safe to repeat; the present one by default.',
  }),
})

export const CashoutBody = z.object({
  roundId: RoundId.nullish().meta({
    description: 'The round whose bet to cash out; the present one by default.',
  }),
})

/** Whose bet to disclose, and of which round. */
export const BetQuery = z.object({
  wallet: Wallet,
  roundId: QueryNumber(1, Number.MAX_SAFE_INTEGER).meta({ description: "The round's number." }),
})

/** Which ended round to disclose, by its number. */
export const SeedsQuery = z.object({
  roundId: QueryNumber(1, Number.MAX_SAFE_INTEGER).optional().meta({
    description: 'Any ended round by its number; the newest twelve with bets by default.',
  }),
})
