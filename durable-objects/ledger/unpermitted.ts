import type { Refusal } from '../../src/core/refusal.ts'
import { dayAt } from '../../src/core/utc-day.ts'
import { MAX_UNPERMITTED_ENTRIES } from '../../src/ledger/capacity.ts'
import { hasPermission } from '../../src/ledger/permission.ts'
import { TOO_MANY_UNPERMITTED, type Rollback } from '../../src/ledger/transfer.ts'
import { hasTable, migrate } from '../kernel/migrations.ts'
import type { LedgerKernel } from './kernel.ts'
import type { Permissions } from './permissions.ts'

/** A partner's entries of one day, in days since 1970-01-01. Most wallets have none, and no table. */
const MIGRATION = {
  id: 'unpermitted-entries',
  sql: `
    CREATE TABLE unpermitted_entries (
      partner TEXT PRIMARY KEY,
      day INTEGER NOT NULL,
      entries INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
}

/** The partner of a call, and the operator's terms for it. */
type Call = Pick<Rollback, 'partner' | 'token' | 'debits'>

/**
 * Bounds the entries that a partner makes without the player's permission: zeros, credits, refusals, and rollbacks that
 * move nothing. Otherwise a partner that the player doesn't know could fill the journal for nothing.
 */
export class Unpermitted {
  readonly #kernel: LedgerKernel
  readonly #permissions: Pick<Permissions, 'permit'>

  constructor(kernel: LedgerKernel, permissions: Pick<Permissions, 'permit'>) {
    this.#kernel = kernel
    this.#permissions = permissions
  }

  /** Refuses an entry that would be one too many today. */
  refusal(call: Call): Refusal | null {
    if (!this.#isCounted(call)) return null
    return this.#today(call.partner) < MAX_UNPERMITTED_ENTRIES ? null : TOO_MANY_UNPERMITTED
  }

  /** Counts an entry, in its transaction. */
  count(call: Call): void {
    if (!this.#isCounted(call)) return
    const { storage } = this.#kernel
    const entries = this.#today(call.partner) + 1
    migrate(storage, [MIGRATION])
    storage.sql.exec(
      'INSERT OR REPLACE INTO unpermitted_entries (partner, day, entries) VALUES (?, ?, ?)',
      call.partner,
      this.#day,
      entries,
    )
  }

  /** A router of 0.2.0 doesn't say whether a rollback's partner needs a permission. */
  #isCounted({ partner, token, debits }: Call): boolean {
    const { journal, clock } = this.#kernel
    if (!debits || journal.latest().seq < MAX_UNPERMITTED_ENTRIES) return false
    return !hasPermission(debits, this.#permissions.permit(partner, token), clock.now())
  }

  #today(partner: string): number {
    const { storage } = this.#kernel
    if (!hasTable(storage, 'unpermitted_entries')) return 0
    const query = 'SELECT entries FROM unpermitted_entries WHERE partner = ? AND day = ?'
    const [row] = storage.sql.exec<{ entries: number }>(query, partner, this.#day).toArray()
    return row?.entries ?? 0
  }

  get #day(): number {
    return dayAt(this.#kernel.clock.now())
  }
}
