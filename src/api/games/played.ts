import type { PlayAnswer } from '../../games/play-request.ts'
import type { WithEntry, TakenRef } from '../../ledger/journal.ts'
import { claimsOf } from '../../receipts/claims.ts'
import type { SignedCall } from '../auth/signed.ts'
import { receipted } from '../receipts/sign.ts'
import { publish } from './feed.ts'

/** Publishes a settled play to the feed, and answers it with its receipt. */
export function answerPlay(
  { env, wallet, waitUntil }: Pick<SignedCall, 'env' | 'wallet' | 'waitUntil'>,
  settled: WithEntry<PlayAnswer, TakenRef>,
): Promise<object> {
  const { ok: _ok, me: _me, entry: _entry, ...play } = settled
  publish(env, { waitUntil }, { wallet, ...play })
  return receipted(env, wallet, settled, claimsOf(play))
}
