import type { WholeRound } from '../../crash/disclosure.ts'
import type { Breach } from '../../transparency/follower.ts'
import { verifyDisclosed, type LoggedRound } from '../../verify/logged-round.ts'
import { breachOf } from '../../verify/logged.ts'
import { ServiceError, type Client } from '../shared/client.ts'

/** Pages of bets that are read of a round: as many as a round can have. */
const MOST_PAGES = 1_000

/** Fetches an ended round whole; null if it is not disclosed yet. */
export async function fetchWhole(client: Client, roundId: string): Promise<WholeRound | null> {
  try {
    const read = (from: number) =>
      client.get<WholeRound>('/api/crash', { action: 'round', roundId, from: String(from) })
    const whole = await read(0)
    const bets = [...whole.bets]
    let { next } = whole
    for (let pages = 1; next !== null && pages < MOST_PAGES; pages++) {
      const page = await read(next)
      bets.push(...page.bets)
      next = page.next
    }
    return { ...whole, bets, next }
  } catch (fault) {
    if (fault instanceof ServiceError && fault.code === 'not_found') return null
    throw fault
  }
}

/** Checks a disclosed round against the log. Anything else than a round's disclosure fails, too. */
export function checkWhole(round: LoggedRound, whole: WholeRound): Breach | null {
  const { bets, ...disclosed } = whole
  const evidence = { disclosed, bets }
  try {
    return breachOf(round, verifyDisclosed(round, whole), evidence)
  } catch (fault) {
    const finding = fault instanceof Error ? fault.message : String(fault)
    return {
      claim: 'an ended round is disclosed in the published form',
      finding,
      evidence: { round, ...evidence },
    }
  }
}
