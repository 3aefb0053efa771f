import type { Refusal } from '../../src/core/refusal.ts'
import { idPrefix, operationId, partsOfId } from '../../src/ledger/operation.ts'
import {
  checkGrant,
  keptSignature,
  stricterPermission,
  type Grant,
  type Permission,
  type PermissionState,
  type Permit,
  type StoredPermission,
} from '../../src/ledger/permission.ts'
import { logEvent } from '../../src/log.ts'
import { TOKENS, type Token } from '../../src/money/token.ts'
import { firstRow } from '../kernel/rows.ts'
import { debitsOf, type Debits } from './debits.ts'
import type { LedgerKernel, LedgerPart } from './kernel.ts'
import { unlessArchived } from './segments.ts'

/** One permission for each partner and token; limit and expiry are null once it is revoked. */
const TABLES = `
  CREATE TABLE permissions (
    partner TEXT NOT NULL,
    token TEXT NOT NULL,
    nonce INTEGER NOT NULL,
    max_per_day_wei TEXT,
    expires_at INTEGER,
    PRIMARY KEY (partner, token)
  ) STRICT, WITHOUT ROWID;
`

/** The request of a change: an action, and the values that it sets. */
type Request = [
  action: 'grant' | 'revoke' | 'take-over',
  maxPerDayWei?: string | null,
  expiresAt?: number | null,
  signature?: string,
]

const COLUMNS = 'nonce, max_per_day_wei AS maxPerDayWei, expires_at AS expiresAt'

/** The player's permissions for partners' debits. */
export class Permissions implements LedgerPart {
  readonly migration = { id: 'permissions', sql: TABLES }
  readonly #sql: SqlStorage
  readonly #kernel: LedgerKernel
  readonly #debits: Debits
  readonly #rows = new Map<string, PermissionState>()

  constructor(kernel: LedgerKernel, { debits }: { debits: Debits }) {
    this.#sql = kernel.storage.sql
    this.#kernel = kernel
    this.#debits = debits
  }

  forget(): void {
    this.#rows.clear()
  }

  audit(): string | null {
    const { journal } = this.#kernel
    const rows = this.all().map((row) => ({ row, ...journal.ids.startingWith(prefixOf(row)) }))
    const changes = rows.reduce((sum, { count }) => sum + count, 0)
    const isWhole = changes === journal.ids.startingWith(idPrefix('permission')).count
    return isWhole && rows.every(({ row, seq }) => this.#isRecorded(row, seq))
      ? null
      : "the player's permissions are not what the journal says"
  }

  /** Returns whether a permission matches its latest entry. @param seq the entry's number; 0 without any */
  #isRecorded(row: StoredPermission, seq: number): boolean {
    return unlessArchived(() => {
      const [latest] = seq === 0 ? [] : this.#kernel.journal.page(seq, 1)
      if (!latest) return false
      const number = Number(partsOfId(latest.operationId).names[2])
      const [action, max = null, expiresAt = null] = JSON.parse(latest.request) as Request
      // A restore raises the nonce above any lost ones.
      const isNext = action === 'take-over' ? row.nonce > number : row.nonce === number + 1
      return isNext && row.maxPerDayWei === max && row.expiresAt === expiresAt
    }, true)
  }

  /** Returns the player's permissions of some partners, in every token. */
  of(partners: readonly string[]): Permission[] {
    const isKnown = (partner: string) =>
      TOKENS.every((token) => this.#rows.has(`${partner}:${token}`))
    const unknown = partners.filter((partner) => !isKnown(partner))
    if (this.#kernel.isOpen && unknown.length > 0) this.#readAll(unknown)
    return partners.flatMap((partner) => TOKENS.map((token) => this.find(partner, token)))
  }

  /**
   * Returns a partner's permission in a token, in its answer's form. A wallet whose ledger isn't open permits nothing.
   */
  find(partner: string, token: Token): Permission {
    const { nonce, maxPerDayWei, expiresAt } = this.#row(partner, token)
    const usedWei = this.#kernel.isOpen ? this.#debits.recent(partner, token).dayWei : 0n
    return {
      partner,
      token,
      nonce,
      maxPerDayWei: maxPerDayWei ?? '0',
      expiresAt,
      usedWei: usedWei.toString(),
    }
  }

  /** Returns the last permission granted and not revoked. It may have expired. */
  permit(partner: string, token: Token): Permit | null {
    const { maxPerDayWei: max, expiresAt } = this.#row(partner, token)
    return max === null || expiresAt === null ? null : { maxPerDayWei: BigInt(max), expiresAt }
  }

  /** Records a signed permission in place of any earlier one. */
  grant(grant: Grant): Permission | Refusal {
    const { partner, token, maxPerDayWei, expiresAt, nonce, signature } = grant
    const { nonce: expected } = this.#row(partner, token)
    const refusal = checkGrant(grant, expected) ?? this.#refusesChange(partner, token)
    if (refusal) return refusal
    const max = maxPerDayWei.toString()
    const granted = { nonce: nonce + 1, maxPerDayWei: max, expiresAt }
    this.#change(partner, token, ['grant', max, expiresAt, keptSignature(signature)], granted)
    logEvent('permission_granted', {
      object: this.#kernel.owner.object,
      wallet: this.#kernel.wallet,
      partner,
      token,
      nonce,
      maxPerDayWei: max,
      expiresAt,
    })
    return this.find(partner, token)
  }

  /** Revokes a permission. Also invalidates a signed one not yet granted, because the nonce rises. */
  revoke(partner: string, token: Token): Permission {
    const { nonce, maxPerDayWei } = this.#row(partner, token)
    // Without a permission in force, a revocation only invalidates a signed one, which this wallet can't grant now
    // anyway.
    if (maxPerDayWei === null && this.#refusesChange(partner, token, true))
      return this.find(partner, token)
    const revoked = { nonce: nonce + 1, maxPerDayWei: null, expiresAt: null }
    this.#change(partner, token, ['revoke'], revoked)
    logEvent('permission_revoked', {
      object: this.#kernel.owner.object,
      wallet: this.#kernel.wallet,
      partner,
      token,
      nonce,
    })
    return this.find(partner, token)
  }

  /** Returns every permission that was ever granted or revoked. */
  all(): StoredPermission[] {
    if (!this.#kernel.isOpen) return []
    return this.#sql
      .exec<PermissionState & { partner: string; token: Token }>(
        `SELECT partner, token, ${COLUMNS} FROM permissions`,
      )
      .toArray()
  }

  /** Makes the wallet's permissions at least as strict as the known ones. Safe to repeat. */
  takeOver(known: readonly StoredPermission[]): void {
    for (const { partner, token, ...other } of known) {
      const own = this.#row(partner, token)
      const { nonce, maxPerDayWei, expiresAt } = stricterPermission(own, other)
      const isSame = maxPerDayWei === own.maxPerDayWei && expiresAt === own.expiresAt
      if (isSame && nonce === own.nonce) continue
      const taken = { nonce: Math.max(nonce, own.nonce + 1), maxPerDayWei, expiresAt }
      this.#change(partner, token, ['take-over', maxPerDayWei, expiresAt], taken)
    }
  }

  #refusesChange(partner: string, token: Token, isTighter = false): Refusal | null {
    const { nonce } = this.#row(partner, token)
    return this.#kernel.refusesFreeEntry(prefixOf({ partner, token }), nonce, isTighter)
  }

  /** Writes a change together with its journal entry. */
  #change(
    partner: string,
    token: Token,
    request: Request,
    { nonce: next, maxPerDayWei, expiresAt }: PermissionState,
  ): void {
    this.#kernel.open()
    const at = this.#kernel.clock.now()
    const { nonce } = this.#row(partner, token)
    this.#kernel.commit(at, () => {
      this.#kernel.journal.record(
        {
          id: operationId('permission', partner, token, nonce),
          request: JSON.stringify(request),
          at,
        },
        { postings: [], result: request[0] },
      )
      this.#sql.exec(
        `INSERT OR REPLACE INTO permissions (partner, token, nonce, max_per_day_wei, expires_at)
         VALUES (?, ?, ?, ?, ?)`,
        partner,
        token,
        next,
        maxPerDayWei,
        expiresAt,
      )
      this.#rows.clear()
    })
  }

  /** Reads the permissions of some partners, and their debits, in one query. */
  #readAll(partners: readonly string[]): void {
    const rows = this.#sql.exec<
      PermissionState & { partner: string; token: Token; debits: string }
    >(
      `SELECT asked.value AS partner, tokens.value AS token, coalesce(nonce, 0) AS nonce,
         max_per_day_wei AS maxPerDayWei, expires_at AS expiresAt,
         ${debitsOf('asked.value', 'tokens.value')} AS debits
       FROM json_each(?) AS asked JOIN json_each(?) AS tokens
         LEFT JOIN permissions ON partner = asked.value AND token = tokens.value`,
      JSON.stringify(partners),
      JSON.stringify(TOKENS),
    )
    for (const { partner, token, debits, ...row } of rows.toArray()) {
      this.#rows.set(`${partner}:${token}`, row)
      this.#debits.take(partner, token, debits)
    }
  }

  #row(partner: string, token: Token): PermissionState {
    const none = { nonce: 0, maxPerDayWei: null, expiresAt: null }
    if (!this.#kernel.isOpen) return none
    const key = `${partner}:${token}`
    const known = this.#rows.get(key)
    if (known) return known
    const row = firstRow(
      this.#sql.exec<PermissionState>(
        `SELECT ${COLUMNS} FROM permissions WHERE partner = ? AND token = ?`,
        partner,
        token,
      ),
    )
    this.#rows.set(key, row ?? none)
    return row ?? none
  }
}

/** Returns how the ids of a permission's changes begin, which end in their number. */
function prefixOf({ partner, token }: Pick<StoredPermission, 'partner' | 'token'>): string {
  return idPrefix('permission', partner, token)
}
