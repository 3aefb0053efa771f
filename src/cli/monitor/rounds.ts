import { messageOf } from '../../core/fault.ts'
import type { WholeRound } from '../../crash/disclosure.ts'
import type { Breach } from '../../transparency/follower.ts'
import { breachOf } from '../../verify/logged-breach.ts'
import { verifyDisclosed, type LoggedRound } from '../../verify/logged-round.ts'
import type { Client } from '../shared/client.ts'
import { readPages } from '../shared/whole-round.ts'

/** Fetches an ended round whole; null if the house does not disclose it now, whatever it answers instead. */
export async function fetchWhole(client: Client, roundId: string): Promise<WholeRound | null> {
  try {
    return await readPages((from) =>
      client.get<WholeRound>('/api/crash', { action: 'round', roundId, from: String(from) }),
    )
  } catch {
    // Neither an outage nor an answer of another form may keep the other rounds from being checked.
    return null
  }
}

/** Checks a disclosed round against the log. Anything else than a round's disclosure fails, too. */
export function checkWhole(round: LoggedRound, whole: WholeRound): Breach | null {
  const { bets, ...disclosed } = whole
  const evidence = { disclosed, bets }
  try {
    return breachOf(round, verifyDisclosed(round, whole), evidence)
  } catch (fault) {
    const finding = messageOf(fault)
    return {
      claim: 'an ended round is disclosed in the published form',
      finding,
      evidence: { round, ...evidence },
    }
  }
}
