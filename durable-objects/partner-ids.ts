import { DurableObject } from 'cloudflare:workers'
import { refuse, type Refusal } from '../src/core/refusal.ts'
import {
  checkClaim,
  checkTokenUse,
  TOKEN_EXPIRED,
  type IdClaim,
  type StoredId,
  type TokenUse,
} from '../src/wallet-bridge/ids.ts'
import { Clock } from './kernel/clock.ts'
import { CommitQueue } from './kernel/commit-queue.ts'
import { migrate } from './kernel/migrations.ts'
import { firstRow } from './kernel/rows.ts'
import type { Stored } from './kernel/stored.ts'
import { transact } from './kernel/transact.ts'

/**
 * `ids` are kept permanently; `kind` is `buried` if the transaction was rolled back before it arrived. `call_hash` and
 * `expires_at` record the use of a token whose `jti` is the id; such a use has no row in `token_uses`. `players` lists
 * wallets before they get their first chips, if those come from the partner.
 */
const TABLES = `
  CREATE TABLE ids (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('transaction', 'rollback', 'buried')),
    wallet TEXT,
    token TEXT,
    request TEXT,
    call_hash TEXT,
    expires_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE players (wallet TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE token_uses (
    jti TEXT PRIMARY KEY,
    call_hash TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`

/** Uses of expired tokens are deleted at this interval, which exceeds the clocks' allowed difference. */
const FORGET_EVERY_MS = 60_000

/** One shard of a partner's ids, for all players: the request that each id stands for. */
export class PartnerIds extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql
  readonly #clock = new Clock()
  readonly #queue = new CommitQueue(
    (work) => transact(this.ctx.storage, work),
    () => this.#clock.now(),
  )
  #forgottenAt = 0

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    migrate(ctx.storage, [{ id: 'partner-ids', sql: TABLES }])
  }

  /** Records a token's single use and reserves an id for one request, or refuses. Safe to repeat. */
  async claim(use: TokenUse | null, claim: IdClaim | null): Promise<Refusal | null> {
    if (this.#queue.isFull())
      return refuse('rate_limited', 'Too many calls. Try again in a moment.')
    return this.#queue.run(() => {
      const refusal = use && this.#use(use, claim)
      return refusal ?? (claim && this.#claim(claim, use))
    })
  }

  /** Returns the claim of an id. An unused id is buried and can never be used. Safe to repeat. */
  async original(id: string): Promise<IdClaim | null> {
    if (this.#queue.isFull())
      throw new Error('too many lookups of a partner’s ids at the same time')
    return this.#queue.run(() => {
      const kept = this.#find(id)
      if (!kept) this.#sql.exec(`INSERT INTO ids (id, kind) VALUES (?, 'buried')`, id)
      return kept && !kept.isBuried ? kept : null
    })
  }

  /** Lists a player whose first chips the partner is about to credit, in EIP-55 form. Safe to repeat. */
  async addPlayer(wallet: string): Promise<void> {
    this.#sql.exec('INSERT OR IGNORE INTO players (wallet) VALUES (?)', wallet)
  }

  /** Returns the listed players after a given one, ascending, in EIP-55 form. */
  async players(after: string | null, limit: number): Promise<string[]> {
    return this.#sql
      .exec<{ wallet: string }>(
        'SELECT wallet FROM players WHERE wallet > ? ORDER BY wallet LIMIT ?',
        after ?? '',
        limit,
      )
      .toArray()
      .map(({ wallet }) => wallet)
  }

  /** Returns the claims of a player's ids after a given one, in ascending order. Reads all ids. */
  async claimsOf(wallet: string, after: string, limit: number): Promise<IdClaim[]> {
    return this.#sql
      .exec<Stored<IdClaim>>(
        `SELECT id, kind, wallet, token, request FROM ids
         WHERE id > ? AND wallet = ? ORDER BY id LIMIT ?`,
        after,
        wallet,
        limit,
      )
      .toArray()
  }

  /** Returns the size of its database. */
  async facts(): Promise<{ databaseBytes: number }> {
    return { databaseBytes: this.#sql.databaseSize }
  }

  #claim(claim: IdClaim, use: TokenUse | null): Refusal | null {
    const kept = this.#find(claim.id)
    if (!kept) {
      const { id, kind, wallet, token, request } = claim
      this.#sql.exec(
        `INSERT INTO ids (id, kind, wallet, token, request, call_hash, expires_at)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        id,
        kind,
        wallet,
        token,
        request,
        ...(use?.jti === id ? [use.callHash, use.expiresAt] : [null, null]),
      )
    }
    return checkClaim(kept, claim)
  }

  /** Records a token's use, in a row of its own unless the row of an id with the same name has it. */
  #use(use: TokenUse, claim: IdClaim | null): Refusal | null {
    this.#forgetExpired()
    const { jti, callHash, expiresAt } = use
    const forgottenBefore = this.#clock.now() - FORGET_EVERY_MS
    // An earlier use of this token may have been forgotten.
    if (expiresAt < forgottenBefore) return TOKEN_EXPIRED
    const kept = firstRow(
      this.#sql.exec<{ callHash: string; expiresAt: number }>(
        `SELECT call_hash AS callHash, expires_at AS expiresAt FROM token_uses WHERE jti = ?1
         UNION ALL
         SELECT call_hash, expires_at FROM ids WHERE id = ?1 AND expires_at >= ?2
         ORDER BY expiresAt DESC LIMIT 1`,
        jti,
        forgottenBefore,
      ),
    )
    const refusal = checkTokenUse(kept?.callHash ?? null, use)
    const isRecorded = kept !== null && kept.expiresAt >= expiresAt
    const isWithId = claim?.id === jti && !this.#find(jti)
    if (!refusal && !isRecorded && !isWithId) {
      this.#sql.exec(
        `INSERT INTO token_uses (jti, call_hash, expires_at) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET expires_at = excluded.expires_at`,
        jti,
        callHash,
        expiresAt,
      )
    }
    return refusal
  }

  #forgetExpired(): void {
    const now = this.#clock.now()
    if (now - this.#forgottenAt < FORGET_EVERY_MS) return
    this.#forgottenAt = now
    this.#sql.exec('DELETE FROM token_uses WHERE expires_at < ?', now - FORGET_EVERY_MS)
  }

  #find(id: string): StoredId | null {
    const row = firstRow(
      this.#sql.exec<Stored<IdClaim> | { id: string; kind: 'buried' }>(
        'SELECT id, kind, wallet, token, request FROM ids WHERE id = ?',
        id,
      ),
    )
    if (!row) return null
    return row.kind === 'buried' ? { id, isBuried: true } : { ...row, isBuried: false }
  }
}
