import { RandomStream } from '../../../src/games/stream.ts'

/** Outcomes that others have published. Results are of the nonces from `firstNonce` on. */
export interface Published<Result> {
  clientSeed: string
  serverSeed: string
  firstNonce: number
  results: Result[]
}

/** Each published result with the stream it was drawn from. */
export function published<Result>(outcomes: Published<Result>) {
  const { clientSeed, serverSeed, firstNonce, results } = outcomes
  return results.map((result, index) => ({
    result,
    nonce: firstNonce + index,
    stream: new RandomStream({ seed: serverSeed, clientSeed, nonce: firstNonce + index }),
  }))
}
