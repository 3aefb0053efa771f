import { z } from 'zod'
import { AmountWei, Multiplier, RoundId, TokenName } from '../http/schema.ts'
import { MAX_AUTO_CASHOUT, MIN_AUTO_CASHOUT } from './bet.ts'

/** The bodies of POST /api/crash, by action; `wallet` and `authSig` are read before them. */

export const BetBody = z.object({
  token: TokenName,
  amountWei: AmountWei,
  autoCashout: Multiplier(MIN_AUTO_CASHOUT, MAX_AUTO_CASHOUT).nullish(),
  roundId: RoundId.nullish(),
})

export const CashoutBody = z.object({ roundId: RoundId.nullish() })
