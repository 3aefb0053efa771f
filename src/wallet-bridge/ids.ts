import { sha256 } from '@noble/hashes/sha2'
import { refuse, type Refusal } from '../core/refusal.ts'
import { utf8 } from '../core/utf8.ts'
import { rolledBack, usedOtherwise } from '../ledger/transfer.ts'
import type { Token } from '../money/token.ts'

/** The operation that a partner's id stands for, permanently, from its first use. */
export interface IdClaim {
  id: string
  kind: 'transaction' | 'rollback'
  /** The player, in EIP-55 form. */
  wallet: string
  token: Token
  /** The request's canonical text. */
  request: string
}

/** An id as stored. A buried id belongs to a transaction that was rolled back before it arrived. */
export type StoredId = (IdClaim & { isBuried: false }) | { id: string; isBuried: true }

/** A token's single use. The same call may be repeated until the token expires; other calls may not. */
export interface TokenUse {
  jti: string
  /** The hash of method, path and body. */
  callHash: string
  /** Unix milliseconds. */
  expiresAt: number
}

/**
 * The number of objects that share a partner's ids. With at most 10 GB each they hold some four billion ids, or 2.6
 * billion that are their token's `jti` too: years of 20 calls a second, months of 200. Health shows how full they are.
 * It must never change, because ids would then be looked up in the wrong objects.
 */
export const SHARDS = 64

/** Returns the number of the shard that owns an id. */
export function shardOf(id: string): number {
  return (sha256(utf8(id))[0] ?? 0) % SHARDS
}

/** Refuses an id already used for something else. */
export function checkClaim(kept: StoredId | null, claim: IdClaim): Refusal | null {
  if (!kept) return null
  if (kept.isBuried) {
    return claim.kind === 'transaction' ? rolledBack(claim.id) : usedOtherwise(claim.id)
  }
  const isSame =
    kept.kind === claim.kind && kept.wallet === claim.wallet && kept.request === claim.request
  return isSame ? null : usedOtherwise(claim.id)
}

export const TOKEN_EXPIRED = refuse('token_expired', 'The token has expired. Sign a new one.')

/** Refuses a token that was used for another call. */
export function checkTokenUse(keptHash: string | null, use: TokenUse): Refusal | null {
  if (keptHash === null || keptHash === use.callHash) return null
  return refuse(
    'token_replayed',
    'This token has already been used for another call. Sign a new token, with its own jti, for each call.',
  )
}

/** Refuses a rollback of anything but a transaction of the same player and token. */
export function checkOriginal(original: IdClaim | null, rollback: IdClaim): Refusal | null {
  if (!original) return null
  const { kind, wallet, token } = original
  if (kind === 'transaction' && wallet === rollback.wallet && token === rollback.token) return null
  return refuse(
    'idempotency_conflict',
    'The original is not a transaction of this player in this currency. Nothing was rolled back.',
  )
}
