import { WholeRoundAnswer } from '../../api/crash/disclosures-schema.ts'
import type { WholeRound } from '../../crash/disclosure.ts'
import type { Client } from '../shared/client.ts'
import { readPages } from '../shared/whole-round.ts'
import { readAs } from './read.ts'

/**
 * Loads the whole of an ended round, with all of its bets.
 * @throws CommandError if the service doesn't disclose it, or not in the published form
 */
export function loadWholeRound(client: Client, roundId: number): Promise<WholeRound> {
  const isNot = `${client.baseUrl.origin} did not answer with round ${roundId}`
  return readPages(async (from) => {
    const query = { action: 'round', roundId: String(roundId), from: String(from) }
    return readAs<WholeRound>(WholeRoundAnswer, await client.get('/api/crash', query), isNot)
  })
}
