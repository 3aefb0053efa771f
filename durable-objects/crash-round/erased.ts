import { isSignedBeacon } from '../../src/calls/beacon.ts'
import { answerWithin } from '../../src/calls/call.ts'
import { findInLog } from '../../src/calls/public-log.ts'
import { loadConfig } from '../../src/config/load.ts'
import { loggedResult } from '../../src/crash/log-entries.ts'
import type { RoundResult } from '../../src/crash/result.ts'
import type { Round, RoundRecord } from '../../src/crash/round.ts'
import { beaconRandomness } from '../../src/fairness/drand.ts'
import { findRound } from '../../src/history/rounds.ts'
import { logEvent, logFault } from '../../src/log.ts'
import { DELIVERY_MS } from '../kernel/outbox.ts'

/** A round waits this long for the history: for its result before it opens, and for its write before it is erased. */
export const HISTORY_MS = 1_000

/**
 * Returns the result of a round that was erased. The history has it; null if it can't be read now, or if there is a
 * public log that doesn't confirm it.
 */
export async function erasedRound(env: Env, roundId: number): Promise<RoundResult | null> {
  const past = await readPastRound(env, roundId)
  return past && (await isPlanLogged(env, roundId, past.seedHash)) ? past : null
}

/** Returns whether the public log has the round's plan. A log that succeeds another one lacks the earlier plans. */
async function isPlanLogged(env: Env, roundId: number, seedHash: string): Promise<boolean> {
  const { log } = loadConfig(env)
  if (!log) return true
  const finding = findInLog(env, 'plan', String(roundId))
  const plan = await answerWithin(HISTORY_MS, finding).catch(() => undefined)
  return plan ? plan.entry['seedHash'] === seedHash : plan === null && log.generation > 1
}

/** Returns a round's result from the history; null if it has none or can't be read now. */
async function readPastRound(env: Env, roundId: number): Promise<RoundResult | null> {
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

/** Returns a round's result from the public log; null if the log lacks its end, or without a log. */
export async function loggedRound(env: Env, roundId: number): Promise<RoundResult | null> {
  if (!loadConfig(env).log) return null
  const kinds = ['plan', 'end', 'void'] as const
  const [plan, end, ended] = await Promise.all(
    kinds.map((kind) => findInLog(env, kind, String(roundId))),
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
  const { roundId } = record.plan
  // Without a log, nothing else has the end.
  const past = loadConfig(env).log
    ? await readPastRound(env, roundId)
    : await pastRound(env, roundId)
  const flown =
    flownBy(record, past) ??
    flownBy(record, await answerWithin(DELIVERY_MS, loggedRound(env, roundId)))
  if (flown) logEvent('round_end_recalled', { object: `CrashRound ${roundId}`, roundId })
  return flown
}

/** Returns a round's record with a result's pepper; null unless the round's own beacon proves that pepper. */
function flownBy(record: RoundRecord, result: RoundResult | null): RoundRecord | null {
  const { seedHash, pepperSource, voidAt } = record.plan
  if (result?.kind !== 'settled' || result.seedHash !== seedHash) return null
  const { signature, takeoffAt } = result
  if (signature === null || pepperSource.kind !== 'drand-quicknet' || takeoffAt >= voidAt)
    return null
  if (!isSignedBeacon(pepperSource.round, signature)) return null
  return { ...record, pepper: beaconRandomness(signature), signature, pepperAt: takeoffAt }
}
