import { z } from 'zod'
import { MAX_AUTO_CASHOUT, MIN_AUTO_CASHOUT } from '../../crash/bet.ts'
import {
  AmountWei,
  Multiplier,
  QueryNumber,
  RoundId,
  TokenName,
  Wallet,
  WholeNumber,
} from '../http/schema.ts'

/** The bodies of POST /api/crash, by action. Those of wallets also have `wallet` and `authSig`. */

/** Any round that a client may name. Rounds are numbered from 1; 0 stands for the one before the first. */
const AnyRoundId = WholeNumber(0, Number.MAX_SAFE_INTEGER)

export const BetBody = z.object({
  token: TokenName,
  amountWei: AmountWei,
  autoCashout: Multiplier(MIN_AUTO_CASHOUT, MAX_AUTO_CASHOUT)
    .nullish()
    .describe('The multiplier of an automatic cash-out, with at most two decimals.'),
  roundId: AnyRoundId.nullish().describe(
    'The round to bet in, which makes the call safe to repeat. Default: the current round.',
  ),
})

export const CashoutBody = z.object({
  roundId: AnyRoundId.nullish().describe(
    'The round of the bet to cash out. Default: the current round.',
  ),
})

export const BeaconBody = z.object({
  roundId: RoundId.describe('The current round.'),
  signature: z
    .string()
    .regex(/^[0-9a-f]{96}$/, 'must be 96 lower-case hex digits')
    .describe("drand's BLS signature of the round's beacon, in hex."),
})

/** The query for the disclosure of an ended bet. */
export const BetQuery = z.object({
  wallet: Wallet,
  roundId: QueryNumber(1, Number.MAX_SAFE_INTEGER).describe("The round's number."),
})

/** The query for the bets of a round. */
export const BetsQuery = z.object({
  roundId: QueryNumber(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('The number of any ended round. Default: the current round.'),
  wallet: Wallet.optional().describe(
    'The wallet whose bet is listed even if it is not among the largest. Such a read asks the round, which takes few at a time; then it is `rate_limited`.',
  ),
})

/** The query for the whole of an ended round. */
export const RoundQuery = z.object({
  roundId: QueryNumber(1, Number.MAX_SAFE_INTEGER).describe("The round's number."),
  from: QueryNumber(0, Number.MAX_SAFE_INTEGER)
    .default(0)
    .describe('The position of the first bet to list, from 0. A page has at most 1,000 bets.'),
})

/** The query for the disclosure of rounds. */
export const SeedsQuery = z.object({
  roundId: QueryNumber(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('The number of any ended round. Default: the newest twelve rounds with bets.'),
})
