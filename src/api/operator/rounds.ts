import { fetchBeacon } from '../../calls/beacon.ts'
import { loadConfig } from '../../config/load.ts'
import { refuse, type Refusal } from '../../core/refusal.ts'
import type { RoundResult } from '../../crash/result.ts'
import { beaconPublishedAt } from '../../fairness/drand.ts'
import { findRound, newestRounds } from '../../history/rounds.ts'
import { toMultiplier } from '../../money/multiplier.ts'
import type { ComparedRound, ShownRound, ShownRounds } from './answers.ts'

const MAX_ROUNDS = 30

/** Returns the newest rounds and the newest voided ones, with the beacon that each waited for. */
export async function shownRounds(env: Env): Promise<ShownRounds> {
  const { newest, voided } = await newestRounds(env.HISTORY, MAX_ROUNDS)
  return { ok: true, newest: newest.map(shown), voided: voided.map(shown) }
}

function shown(round: RoundResult): ShownRound {
  const { roundId, kind, endedAt, betCount } = round
  const crash = round.kind === 'settled' ? toMultiplier(round.crash) : null
  const reason = round.kind === 'voided' ? round.reason : null
  return { roundId, kind, endedAt, betCount, crash, reason, beacon: beaconOf(round) }
}

function beaconOf({ pepperSource }: RoundResult): number | null {
  return pepperSource.kind === 'drand-quicknet' ? pepperSource.round : null
}

/**
 * Compares a round with drand's own record, as its relays have it: whether the beacon exists, and whether it is the
 * one that the round was settled with.
 */
export async function comparedRound(env: Env, roundId: number): Promise<ComparedRound | Refusal> {
  const round = await findRound(env.HISTORY, roundId)
  const beacon = round && beaconOf(round)
  if (!round || beacon === null) return noBeacon(round !== null)
  const signature = await fetchBeacon(loadConfig(env).drandRelays, beacon)
  const used = round.kind === 'settled' ? round.signature : null
  return {
    ok: true,
    roundId,
    kind: round.kind,
    beacon,
    publishedAt: beaconPublishedAt(beacon),
    signature,
    // A signature is the only one that its chain has for a round, so the relays' must be the same.
    isSame: used === null || signature === null ? null : used === signature,
  }
}

function noBeacon(isKnown: boolean): Refusal {
  return refuse(
    'not_found',
    isKnown
      ? 'This round took its pepper from no beacon.'
      : 'This round has not ended, or the history does not have it yet.',
  )
}
