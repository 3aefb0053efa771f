import type { z } from 'zod'
import { retried } from '../../calls/call.ts'
import { ledger } from '../../calls/objects.ts'
import { isRefusal, type Refusal } from '../../core/refusal.ts'
import { findRound } from '../../history/rounds.ts'
import {
  previewOfBet,
  previewOfPlay,
  previewOfRound,
  type Preview,
} from '../../preview/previews.ts'
import { endedBet } from '../crash/ended-bet.ts'
import { BetQuery, RoundQuery } from '../crash/schema.ts'
import { PlayQuery } from '../games/schema.ts'
import { limitNetwork } from '../http/rate-limits.ts'
import { validate } from '../http/schema.ts'

/** Reads a preview of something that has ended and is disclosed; null of anything else. */
export type ReadPreview = (env: Env, request: Request) => Promise<Preview | Refusal | null>

/** Returns how to read the preview of a permanent page; null for any other path. */
export function subjectOf(kind: string, names: readonly string[]): ReadPreview | null {
  const [first, second] = names
  if (kind === 'round' && names.length === 1) {
    return reading(RoundQuery, { roundId: first }, async (env, { roundId }) => {
      const round = await findRound(env.HISTORY, roundId)
      return round && previewOfRound(round)
    })
  }
  if (kind === 'bet' && names.length === 2) {
    return reading(BetQuery, { wallet: first, roundId: second }, async (env, input, request) => {
      const tooMany = await limitNetwork(env, request, 'walletReads')
      if (tooMany) return tooMany
      const bet = await endedBet(env, input)
      return isRefusal(bet) ? null : previewOfBet(bet)
    })
  }
  if (kind === 'play' && names.length === 2) {
    return reading(PlayQuery, { wallet: first, nonce: second }, async (env, input, request) => {
      const tooMany = await limitNetwork(env, request, 'walletReads')
      if (tooMany) return tooMany
      const { wallet, nonce } = input
      const play = await retried(async () => ledger(env, wallet).findPlay(nonce))
      return play && !isRefusal(play) ? previewOfPlay({ ...play, wallet }) : null
    })
  }
  return null
}

function reading<T>(
  schema: z.ZodType<T>,
  input: object,
  read: (env: Env, input: T, request: Request) => Promise<Preview | Refusal | null>,
): ReadPreview | null {
  const valid = validate(schema, input)
  return isRefusal(valid) ? null : (env, request) => read(env, valid.value, request)
}
