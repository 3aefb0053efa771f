import { invariant } from '../core/invariant.ts'
import { commitmentOf } from '../fairness/seed.ts'
import type { Token } from '../money/token.ts'
import type { Selection } from './games.ts'
import type { PlayRequest, StoredPlay } from './play-request.ts'
import { settle } from './play.ts'

/** Returns a play's request as canonical text. The same nonce with another text is a conflict. */
export function playText({
  selection,
  token,
  amountWei,
  clientSeed,
}: Pick<PlayRequest, 'selection' | 'token' | 'amountWei' | 'clientSeed'>): string {
  return JSON.stringify([
    selection.game,
    Object.entries(selection.params),
    token,
    amountWei.toString(),
    clientSeed,
  ])
}

/** The part of a play that a journal keeps beside its request. Everything else follows by the rules of its tables. */
export type PlayRecord = [edgeBps: number, tables: number, payout: string]

export function recordOf({ edgeBps, tables, payout }: StoredPlay): PlayRecord {
  return [edgeBps, tables, payout]
}

/** A play as recorded in its journal. */
interface RecordedPlay {
  nonce: number
  /** The text of {@link playText}. */
  request: string
  seed: string
  record: PlayRecord
  /** The commitment of the play after it. */
  nextSeedHash: string
  /** In unix milliseconds. */
  settledAt: number
}

/**
 * Returns a recorded play as it was answered.
 * @throws InvariantError if the rules no longer pay the same amount
 */
export function playOf({
  nonce,
  request,
  seed,
  record,
  nextSeedHash,
  settledAt,
}: RecordedPlay): StoredPlay {
  const [game, params, token, amount, clientSeed] = JSON.parse(request) as [
    ...[string, [string, unknown][], Token, string, string],
  ]
  const [edgeBps, tables, payout] = record
  const selection = { game, params: Object.fromEntries(params) } as unknown as Selection
  const settled = settle(
    selection,
    { token, amountWei: BigInt(amount) },
    { seed, seedHash: commitmentOf(seed), clientSeed, nonce },
    { edgeBps, tables },
  )
  invariant(settled.payout === payout, `play ${nonce} was paid ${payout}, not ${settled.payout}`)
  return { ...settled, nextSeedHash, settledAt }
}
