import { isRefusal, refuse, type Refusal } from '../../src/core/refusal.ts'
import type { Head } from '../../src/ledger/head.ts'
import { operationId } from '../../src/ledger/operation.ts'
import {
  NO_PROTECTION_COUNTERS,
  type ProtectionCounters,
} from '../../src/ledger/protection-counters.ts'
import { logEvent } from '../../src/log.ts'
import {
  allowedDeposit,
  checkExclusion,
  checkProtection,
  type Stake,
} from '../../src/protection/check.ts'
import { WINDOW_MS } from '../../src/protection/limit.ts'
import { hasStaked } from '../../src/protection/measure.ts'
import {
  changed,
  isExcluded,
  isTighter,
  protectionHash,
  UNPROTECTED,
  type Protection,
  type ProtectionChange,
} from '../../src/protection/protection.ts'
import {
  afterStake,
  FIRST_STAKE_MS,
  isPlaying,
  SESSION_GAP_MS,
} from '../../src/protection/session.ts'
import { shownProtection, type ShownProtection } from '../../src/protection/shown.ts'
import { LazyTable } from '../kernel/lazy-table.ts'
import type { Schema } from '../kernel/migrations.ts'
import { firstRow } from '../kernel/rows.ts'
import type { HeadChange } from './journal.ts'
import type { LedgerKernel, LedgerPart } from './kernel.ts'
import { SPREAD } from './search.ts'
import { unlessArchived } from './segments.ts'

/**
 * One row, made with the player's first change: their protection. The journal's latest change has its hash. A wallet
 * without limits has neither the table nor any other cost.
 */
const MIGRATION = {
  id: 'limits',
  sql: `
    CREATE TABLE protection (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      changes INTEGER NOT NULL,
      state TEXT NOT NULL
    ) STRICT;
  `,
}

/** How the ids of changes begin, which end in their number. */
const KIND = 'limits:'

/** The session of a wallet without limits is looked for among this many of its latest operations. */
const SESSION_LOOK = 1_000

interface StoredProtection {
  /** The number of changes so far. */
  changes: number
  protection: Protection
}

const STORED = 'SELECT json_array(changes, state) AS text FROM protection'

/** The player's own limits and exclusions. Every stake passes {@link refusal} before it is recorded. */
export class Limits implements LedgerPart {
  readonly waking = {
    expression: (schema: Schema) => (schema.has('protection') ? `(${STORED})` : null),
    take: (text: string | null) => {
      this.#woken = text
    },
  }
  /** The text that was read on waking. Parsed when it's needed: a damaged one must not keep the ledger from waking. */
  #woken: string | null = null
  readonly #kernel: LedgerKernel
  readonly #table: LazyTable
  /** Null without protection; undefined until it is read. */
  #kept: StoredProtection | null | undefined

  constructor(kernel: LedgerKernel) {
    this.#kernel = kernel
    this.#table = new LazyTable(kernel.storage, 'protection', MIGRATION)
  }

  load(schema: Schema): void {
    this.#table.load(schema)
  }

  forget(): void {
    this.#table.forget()
    this.#kept = undefined
    this.#woken = null
  }

  audit(): string | null {
    const { journal } = this.#kernel
    const kept = this.#read()
    const changes = kept?.changes ?? 0
    const isRight = unlessArchived(() => {
      const latest = journal.find<string>(operationId('limits', changes - 1))
      const isSame =
        latest && kept ? latest.result === protectionHash(kept.protection) : latest === kept
      const isLatest = journal.find(operationId('limits', changes)) === null
      return isSame && isLatest
    }, true)
    return isRight ? null : "the player's limits are not what the journal says"
  }

  /** Refuses a stake, play or debit that the player's limits or an exclusion forbid. */
  refusal(stake: Stake): Refusal | null {
    const kept = this.#read()
    return kept && checkProtection(kept.protection, stake, this.#kernel.journal)
  }

  /** Refuses an excluded player. */
  exclusion(): Refusal | null {
    const kept = this.#read()
    return kept && checkExclusion(kept.protection, this.#kernel.clock.now())
  }

  /** Returns the change of the head by a stake or a debit, for its entry. @param at in unix milliseconds */
  staked(at: number): HeadChange {
    return this.#counting((guarded) => afterStake(guarded, at))
  }

  /**
   * Returns the part of a deposit that must not become chips, and its change of the head.
   * @param isWhole whether no part may become chips, because the limits can't be measured
   */
  quarantined(deposit: Stake, isWhole = false): { amountWei: bigint; change: HeadChange } {
    const kept = this.#read()
    if (!kept) return { amountWei: 0n, change: {} }
    const { token } = deposit
    const allowedWei = isWhole ? 0n : allowedDeposit(kept.protection, deposit, this.#kernel.journal)
    const amountWei = deposit.amountWei - allowedWei
    const change = this.#counting((guarded) => {
      const { quarantinedWei } = guarded
      return {
        ...guarded,
        quarantinedWei: { ...quarantinedWei, [token]: quarantinedWei[token] + amountWei },
      }
    })
    return { amountWei, change }
  }

  /** Returns the player's protection as they see it. */
  shown(): ShownProtection {
    const { clock, journal } = this.#kernel
    const now = clock.now()
    const protection = this.#read()?.protection ?? UNPROTECTED
    const { guarded, before } = this.#session(now)
    const { sessionStartedAt: startedAt } = guarded
    const isInSession = isPlaying(guarded, now)
    const starts = protection.limits.map(({ window }) => now - WINDOW_MS[window])
    if (isInSession && !before) starts.push(startedAt - 1)
    journal.lookBackAt(starts)
    const session = isInSession
      ? { startedAt, before: before ?? journal.headBy(startedAt - 1) }
      : null
    return shownProtection(protection, journal, session, now)
  }

  /** The player's protection; null if they have never set any. */
  get protection(): Protection | null {
    return this.#read()?.protection ?? null
  }

  /** Makes a change that the player asks for or a restore makes, together with its journal entry. Safe to repeat. */
  change(change: ProtectionChange): Refusal | null {
    const { clock, journal, storage, wallet } = this.#kernel
    const at = clock.now()
    const kept = this.#read()
    const before = kept?.protection ?? UNPROTECTED
    const protection = changed(before, change, at)
    if (isRefusal(protection)) return protection
    if (protection === before) return null
    // A player can always exclude themselves. Extending an exclusion tightens it, as a lower limit does.
    const isNewExclusion =
      change.action === 'exclude' && (change.days === null || !isExcluded(before, at))
    const isTakenOver = change.action === 'take-over'
    const changes = kept?.changes ?? 0
    const refusal =
      isNewExclusion || isTakenOver
        ? null
        : this.#kernel.refusesFreeEntry(KIND, changes, isTighter(protection, before))
    if (refusal) return refusal
    this.#kernel.open()
    this.#table.make()
    this.#kernel.commit(at, () => {
      journal.record(
        { id: operationId('limits', changes), request: JSON.stringify(change), at },
        { postings: [], result: protectionHash(protection) },
        { guarded: this.#session(at).guarded },
      )
      storage.sql.exec(
        'INSERT OR REPLACE INTO protection (id, changes, state) VALUES (1, ?, ?)',
        changes + 1,
        JSON.stringify(protection),
      )
      this.#kept = { changes: changes + 1, protection }
    })
    logEvent('limits_changed', {
      object: this.#kernel.owner.object,
      wallet,
      // D1 learns of the change minutes later, or never if the wallet's chips have never moved.
      change: JSON.stringify(change),
    })
    return null
  }

  #counting(count: (guarded: ProtectionCounters) => ProtectionCounters): HeadChange {
    const { guarded } = this.#kernel.journal.latest()
    return guarded ? { guarded: count(guarded) } : {}
  }

  /**
   * Returns the journal's counters for limits. Without limits, these cover only the player's latest session, as far as
   * their latest operations show it, and come with the head before it.
   */
  #session(now: number): { guarded: ProtectionCounters; before: Head | null } {
    const { journal, isOpen } = this.#kernel
    if (!isOpen) return { guarded: NO_PROTECTION_COUNTERS, before: null }
    const { guarded } = journal.latest()
    if (guarded) return { guarded, before: null }
    let [sessionStartedAt, lastStakeAt] = [0, 0]
    let first: Head | null = null
    for (const { at, before, head } of journal.newest<unknown>(SESSION_LOOK, SPREAD)) {
      if ((sessionStartedAt || now) - at >= SESSION_GAP_MS) break
      if (hasStaked(before, head)) {
        sessionStartedAt = at
        lastStakeAt ||= at
      }
      if (at === sessionStartedAt) first = before
    }
    const playedMs = lastStakeAt > 0 ? lastStakeAt - sessionStartedAt + FIRST_STAKE_MS : 0
    const counted = { ...NO_PROTECTION_COUNTERS, playedMs, sessionStartedAt, lastStakeAt }
    return { guarded: counted, before: first }
  }

  #read(): StoredProtection | null {
    if (!this.#kernel.isOpen || !this.#table.isMade) return null
    this.#kept ??= this.#stored()
    return this.#kept
  }

  #stored(): StoredProtection | null {
    const read = () => firstRow(this.#kernel.storage.sql.exec<{ text: string }>(STORED))?.text
    const text = this.#woken ?? read() ?? null
    this.#woken = null
    return storedOf(text)
  }
}

function storedOf(text: string | null): StoredProtection | null {
  if (text === null) return null
  const [changes, state] = JSON.parse(text) as [number, string]
  return { changes, protection: JSON.parse(state) as Protection }
}

/** Refuses to show the limits after a change that was made all the same. */
export const CHANGE_HOLDS = refuse(
  'archive_unavailable',
  'Your change is saved. What you have used of your limits cannot be shown now. Try again later.',
)
