import { sha256 } from '@noble/hashes/sha2'
import { utf8ToBytes } from '@noble/hashes/utils'
import { rolledBack, usedOtherwise } from '../ledger/transfer.ts'
import type { Token } from '../money/token.ts'
import { refuse, type Refusal } from '../core/refusal.ts'

/** What a partner's id stands for: from its first use on, for ever. */
export interface IdClaim {
  id: string
  kind: 'transaction' | 'rollback'
  /** The player, in EIP-55 form. */
  wallet: string
  token: Token
  /** Canonical text of what was asked. */
  request: string
}

/** An id as it is kept. A buried one is that of a transaction that was rolled back before it came. */
export type KeptId = (IdClaim & { isBuried: false }) | { id: string; isBuried: true }

/** A token's one use. The same call may be sent again while the token lives; no other may. */
export interface TokenUse {
  jti: string
  /** Hash of method, path and body. */
  callHash: string
  /** Unix milliseconds. */
  expiresAt: number
}

/**
 * How many objects share a partner's ids: enough for thousands of calls a second and for decades of
 * ids. It can never change: an id would be looked for where it is not.
 */
export const SHARDS = 64

/** Which of a partner's shards owns an id. */
export function shardOf(id: string): number {
  return (sha256(utf8ToBytes(id))[0] ?? 0) % SHARDS
}

/** Whether an id may be used for this: for the first time, or for the same as before. */
export function checkClaim(kept: KeptId | null, claim: IdClaim): Refusal | null {
  if (!kept) return null
  if (kept.isBuried) {
    return claim.kind === 'transaction' ? rolledBack(claim.id) : usedOtherwise(claim.id)
  }
  const isSame =
    kept.kind === claim.kind && kept.wallet === claim.wallet && kept.request === claim.request
  return isSame ? null : usedOtherwise(claim.id)
}

export function checkTokenUse(keptHash: string | null, use: TokenUse): Refusal | null {
  if (keptHash === null || keptHash === use.callHash) return null
  return refuse(
    'token_replayed',
    'This token was used for another call. Sign a new one, with its own jti, for each call.',
  )
}

/** Whether a rollback may undo what its original's id stands for. */
export function checkOriginal(original: IdClaim | null, rollback: IdClaim): Refusal | null {
  if (!original) return null
  const { kind, wallet, token } = original
  if (kind === 'transaction' && wallet === rollback.wallet && token === rollback.token) return null
  return refuse(
    'idempotency_conflict',
    'The original is not a transaction of this player in this currency. Nothing was rolled back.',
  )
}
