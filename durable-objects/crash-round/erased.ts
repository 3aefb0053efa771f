import type { RoundResult } from '../../src/crash/result.ts'
import { findRound } from '../../src/history/rounds.ts'
import { logFault } from '../../src/log.ts'
import { answerWithin } from '../../src/objects.ts'

/** A round waits this long for the history: for its result before it opens, and for its write before it is erased. */
export const HISTORY_MS = 1_000

/** Returns the result of a round that was erased. The history has it; null if it can't be read now. */
export async function erasedRound(env: Env, roundId: number): Promise<RoundResult | null> {
  try {
    return await answerWithin(HISTORY_MS, findRound(env.HISTORY, roundId))
  } catch (fault) {
    logFault('round_history_read_failed', fault, {
      object: `CrashRound ${roundId}`,
      roundId,
    })
    return null
  }
}
