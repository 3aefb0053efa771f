import { answerWithin, retried } from '../../src/calls/call.ts'
import { transparencyLog } from '../../src/calls/objects.ts'
import { loadConfig } from '../../src/config/load.ts'
import { loggedResult } from '../../src/crash/log-entries.ts'
import type { RoundResult } from '../../src/crash/result.ts'
import type { Round, RoundRecord } from '../../src/crash/round.ts'
import { findRound } from '../../src/history/rounds.ts'
import { logEvent, logFault } from '../../src/log.ts'
import { DELIVERY_MS } from '../kernel/outbox.ts'

/** A round waits this long for the history: for its result before it opens, and for its write before it is erased. */
export const HISTORY_MS = 1_000

/** Returns the result of a round that was erased. The history has it; null if it can't be read now. */
export async function erasedRound(env: Env, roundId: number): Promise<RoundResult | null> {
  try {
    return await pastRound(env, roundId)
  } catch (fault) {
    logFault('round_history_read_failed', fault, {
      object: `CrashRound ${roundId}`,
      roundId,
    })
    return null
  }
}

function pastRound(env: Env, roundId: number): Promise<RoundResult | null> {
  return answerWithin(HISTORY_MS, findRound(env.HISTORY, roundId))
}

/** Returns a round's result by the public log; null if the log lacks its end, or without a log. */
export async function loggedRound(env: Env, roundId: number): Promise<RoundResult | null> {
  if (!loadConfig(env).log) return null
  const kinds = ['plan', 'end', 'void'] as const
  const [plan, end, ended] = await Promise.all(
    kinds.map((kind) => retried(async () => transparencyLog(env).find(kind, String(roundId)))),
  )
  const last = end ?? ended
  return plan && last ? loggedResult(plan.entry, last.entry) : null
}

/**
 * Returns the record of a live round past its deadline with the pepper that it once had: it flew before its object was
 * restored to an earlier time, and must not refund its bets. Returns null for every other round.
 * @throws if the public log doesn't answer, or the history where there is no log
 */
export async function recalled(
  env: Env,
  round: Round | null,
  now: number,
): Promise<RoundRecord | null> {
  if (round?.record.status !== 'live' || round.stage(now) !== 'void') return null
  const { record } = round
  const { roundId, seedHash } = record.plan
  // Without a log, nothing else has the end.
  const past = loadConfig(env).log ? await erasedRound(env, roundId) : await pastRound(env, roundId)
  const result = past ?? (await answerWithin(DELIVERY_MS, loggedRound(env, roundId)))
  if (result?.kind !== 'settled' || result.seedHash !== seedHash) return null
  logEvent('round_end_recalled', { object: `CrashRound ${roundId}`, roundId })
  const { pepper, signature, takeoffAt } = result
  return { ...record, pepper, signature, pepperAt: takeoffAt }
}
