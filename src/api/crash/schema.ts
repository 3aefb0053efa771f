import { z } from 'zod'
import { AmountWei, Multiplier, QueryNumber, RoundId, TokenName, Wallet } from '../http/schema.ts'
import { MAX_AUTO_CASHOUT, MIN_AUTO_CASHOUT } from '../../crash/bet.ts'

/** The bodies of POST /api/crash, by action; those of wallets have `wallet` and `authSig` besides. */

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

export const BeaconBody = z.object({
  roundId: RoundId.meta({ description: 'The present round.' }),
  signature: z
    .string()
    .regex(/^[0-9a-f]{96}$/, 'must be 96 lower-case hex digits')
    .meta({ description: "drand's BLS signature of the round's beacon, in hex." }),
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
