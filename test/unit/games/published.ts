import { RandomStream } from '../../../src/games/stream.ts'

/** Outcomes published by third parties. Results start at the nonce `firstNonce`. */
export interface Published<Result> {
  clientSeed: string
  serverSeed: string
  firstNonce: number
  results: Result[]
}

/** Each published result with its random stream. */
export function published<Result>(outcomes: Published<Result>) {
  const { clientSeed, serverSeed, firstNonce, results } = outcomes
  return results.map((result, index) => ({
    result,
    nonce: firstNonce + index,
    stream: new RandomStream({ seed: serverSeed, clientSeed, nonce: firstNonce + index }),
  }))
}
