import { DurableObject } from 'cloudflare:workers'
import { getAddress } from 'viem'
import { announceTerms } from '../src/api/receipts/announce.ts'
import { loadConfig } from '../src/config/load.ts'
import { parseTermsOrder } from '../src/config/set-terms.ts'
import { invariant } from '../src/core/invariant.ts'
import { refuse, type Refusal } from '../src/core/refusal.ts'
import { isoTime } from '../src/core/utc-day.ts'
import { HOUSE } from '../src/ledger/accounts.ts'
import { logEvent, logFault } from '../src/log.ts'
import {
  crashTable,
  daybook,
  ledger,
  relayer,
  reprojection,
  retried,
  transparencyLog,
} from '../src/objects.ts'
import {
  actText,
  checkAct,
  modeSettings,
  type Act,
  type ActResult,
  type KeptAct,
} from '../src/operator/act.ts'
import {
  versionEntry,
  WITHDRAWALS,
  type ModesChange,
  type ModesVersion,
  type Settings,
} from '../src/operator/modes.ts'
import { ModesStore } from './control/modes-store.ts'
import { unknownSwitch } from './control/switches.ts'
import { Kernel } from './kernel/kernel.ts'
import { ownerOf } from './kernel/owner.ts'
import type { Stored } from './kernel/stored.ts'
import type { FreezeAct } from './ledger/gate.ts'

/**
 * The journals of acts: the owner's of each vault, and the house's own. `result` is null while an act is in progress.
 */
const TABLES = `
  CREATE TABLE acts (
    vault TEXT NOT NULL,
    nonce INTEGER NOT NULL,
    act TEXT NOT NULL,
    target TEXT NOT NULL,
    reason TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    at INTEGER NOT NULL,
    result TEXT,
    PRIMARY KEY (vault, nonce)
  ) STRICT;
`

/** The target of `reproject` for a day's books begins with it. */
const BOOKS = 'books:'

/** The caller's request carries out its act; the alarm takes over after this. */
const EAGER_DELIVERY_MS = 10_000

/** The operators' orders: each act of a vault's owner, in order, with its result, and the modes they have set. */
export class Control extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql
  readonly #kernel = new Kernel(this.ctx, ownerOf('Control', this.ctx, this.env))
  readonly #modes = new ModesStore(this.ctx.storage.sql)

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#kernel.assemble([
      {
        migration: { id: 'acts', sql: TABLES },
        deliver: { act: (payload) => this.#deliver(payload) },
      },
      this.#kernel.outbox,
      this.#modes,
    ])
    this.#kernel.open()
    this.#kernel.clock.notBefore(this.#modes.latest()?.at ?? 0)
  }

  /** Returns the modes in force and those that follow. Every reader asks at least each {@link READ_AGE_MS}. */
  async modes(): Promise<ModesChange[]> {
    return this.#modes.changes(this.#kernel.clock.now())
  }

  /** Returns the newest version of the modes; null before the first. */
  async newestModes(): Promise<ModesVersion | null> {
    return this.#modes.latest()
  }

  /** Returns the nonce of the owner's next act on a vault. */
  async nextNonce(vaultId: string): Promise<number> {
    return this.#next(vaultId)
  }

  /**
   * Journals an act and carries it out. The caller has checked its signature. Repeating an act returns
   * its result. If another object doesn't answer, the act is carried out later.
   */
  async carryOut(vaultId: string, act: Act): Promise<KeptAct | Refusal> {
    const earlier = this.#find(vaultId, act.nonce)
    const expected = this.#next(vaultId)
    if (earlier) {
      return actText(earlier) === actText(act)
        ? earlier
        : refuse('nonce_mismatch', 'This nonce was used for another act.', { expected })
    }
    const now = this.#kernel.clock.now()
    const refusal = checkAct(act, expected, now)
    if (refusal) return refusal
    const payload = JSON.stringify({ vaultId, nonce: act.nonce })
    const messageId = this.#kernel.transact(() => {
      this.#sql.exec(
        `INSERT INTO acts (vault, nonce, act, target, reason, expires_at, at)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        ...[vaultId, act.nonce, act.act, act.target, act.reason, act.expiresAt, this.#nextAt(now)],
      )
      return this.#kernel.outbox.add({ kind: 'act', payload }, now + EAGER_DELIVERY_MS)
    })
    this.#kernel.alarm.wakeBy(now + EAGER_DELIVERY_MS, now)
    try {
      await this.#deliver(payload)
      this.#kernel.outbox.markDelivered(messageId)
    } catch (fault) {
      logFault('owner_act_delayed', fault, { nonce: act.nonce })
    }
    return this.#kept(vaultId, act.nonce)
  }

  /** Closes the withdrawals by the house's own act. Safe to repeat: one reason is one act. */
  async pauseWithdrawals(reason: string): Promise<KeptAct | Refusal> {
    const [earlier] = this.#sql
      .exec<{ nonce: number }>(
        'SELECT nonce FROM acts WHERE vault = ? AND reason = ?',
        HOUSE,
        reason,
      )
      .toArray()
    if (earlier) return this.#kept(HOUSE, earlier.nonce)
    const expiresAt = Math.ceil((this.#kernel.clock.now() + EAGER_DELIVERY_MS) / 1_000)
    const target = `${WITHDRAWALS}=closed`
    return this.carryOut(HOUSE, {
      ...{ act: 'mode', target, reason, nonce: this.#next(HOUSE), expiresAt },
    })
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#kernel.run(info)
  }

  async #deliver(payload: string): Promise<void> {
    const { vaultId, nonce } = JSON.parse(payload) as { vaultId: string; nonce: number }
    const kept = this.#kept(vaultId, nonce)
    // If it is delivered again after a restart, it must not affect anything newer.
    if (kept.result) return
    const result = await this.#do(vaultId, kept, `${vaultId}:${nonce}`)
    const { act, target } = kept
    logEvent('act_ended', { act, target, nonce, message: result.message })
    this.#sql.exec(
      'UPDATE acts SET result = ? WHERE vault = ? AND nonce = ?',
      ...[JSON.stringify(result), vaultId, nonce],
    )
  }

  async #do(vaultId: string, { act, target, at }: KeptAct, actId: string): Promise<ActResult> {
    switch (act) {
      case 'mode':
        return this.#setModes(target, actId)
      case 'terms':
        return this.#setTerms(target, actId)
      case 'freeze':
        return this.#freeze(target, actId, at)
      case 'unfreeze':
        return this.#unfreeze(target, actId, at)
      case 'confirm-withdrawal':
        return this.#resolve(vaultId, target, 'confirmed', actId)
      case 'release-withdrawal':
        return this.#resolve(vaultId, target, 'failed', actId)
      case 'reproject': {
        if (target.startsWith(BOOKS)) return this.#countBooks(target.slice(BOOKS.length))
        await reprojection(this.env).start(target === 'everything' ? 'everything' : 'positions')
        return done(
          'All objects are sending their data again. Bets resume once the books are complete.',
        )
      }
    }
  }

  async #countBooks(day: string): Promise<ActResult> {
    const refusal = await retried(async () => daybook(this.env).count(day))
    return refusal ? notDone(refusal.error.message) : done(`The books of ${day} are being counted.`)
  }

  async #setModes(target: string, actId: string): Promise<ActResult> {
    const modes = modeSettings(target)
    const config = loadConfig(this.env)
    const unknown = unknownSwitch(Object.keys(modes), config, this.#modes.latest()?.modes ?? {})
    return unknown === null ? this.#set({ modes }, actId) : notDone(unknown)
  }

  async #setTerms(target: string, actId: string): Promise<ActResult> {
    const terms = parseTermsOrder(target)
    return typeof terms === 'string' ? notDone(terms) : this.#set({ terms }, actId)
  }

  /** Makes the version first, so that readers have it before the objects are told. */
  async #set(settings: Settings, actId: string): Promise<ActResult> {
    const now = this.#kernel.clock.now()
    const version = this.#kernel.transact(() => this.#modes.set(actId, settings, now))
    await this.#announce()
    return done(`Version ${version.number} takes effect at ${isoTime(version.takesEffectAt)}.`)
  }

  /** Tells the objects that decide without a caller, and the public log. Safe to repeat, in any order. */
  async #announce(): Promise<void> {
    const { vault, log } = loadConfig(this.env)
    const changes = this.#modes.changes(this.#kernel.clock.now())
    await Promise.all([
      retried(async () => crashTable(this.env).takeModes(changes)),
      vault && retried(async () => relayer(this.env, vault.chainId).takeModes(changes)),
    ])
    if (!log) return
    for (const version of this.#modes.unpublished()) {
      await announceTerms(this.env, version.terms)
      await retried(async () => transparencyLog(this.env).append(versionEntry(version)))
      this.#modes.markPublished(version)
    }
  }

  async #freeze(target: string, id: string, at: number): Promise<ActResult> {
    const outcome = await this.#setFrozen(target, { id, at, isFrozen: true })
    return outcome === 'overtaken'
      ? overtaken()
      : done('The wallet is frozen: it takes no stakes, debits or withdrawals.')
  }

  async #unfreeze(target: string, id: string, at: number): Promise<ActResult> {
    const outcome = await this.#setFrozen(target, { id, at, isFrozen: false })
    if (outcome === 'overtaken') return overtaken()
    if (outcome === 'done') return done('The wallet is no longer frozen by an operator.')
    const count = await retried(async () => ledger(this.env, getAddress(target)).unfreeze(id))
    return count > 0
      ? done(`Deposits written off: ${count}. Withdrawals continue.`)
      : notDone('This wallet is not frozen.')
  }

  #setFrozen(target: string, act: FreezeAct) {
    return retried(async () => ledger(this.env, getAddress(target)).setFrozen(act))
  }

  async #resolve(
    vaultId: string,
    target: string,
    outcome: 'confirmed' | 'failed',
    actId: string,
  ): Promise<ActResult> {
    const [wallet = '', nonce] = target.split(':')
    const refusal = await retried(async () =>
      ledger(this.env, getAddress(wallet)).resolveWithdrawal(
        vaultId,
        Number(nonce),
        outcome,
        actId,
      ),
    )
    if (refusal) return notDone(refusal.error.message)
    return done(`The withdrawal is ${outcome === 'failed' ? 'released' : 'confirmed'}.`)
  }

  #next(vaultId: string): number {
    return this.#sql
      .exec<{ next: number }>(
        'SELECT coalesce(max(nonce) + 1, 0) AS next FROM acts WHERE vault = ?',
        vaultId,
      )
      .one().next
  }

  /** Returns an act's time: no two acts have the same, so that their times tell their order. */
  #nextAt(now: number): number {
    const { at } = this.#sql
      .exec<{ at: number }>('SELECT coalesce(max(at) + 1, 0) AS at FROM acts')
      .one()
    return Math.max(now, at)
  }

  #kept(vaultId: string, nonce: number): KeptAct {
    const kept = this.#find(vaultId, nonce)
    invariant(kept, `act ${nonce} is in the journal`)
    return kept
  }

  #find(vaultId: string, nonce: number): KeptAct | null {
    const [row] = this.#sql
      .exec<Stored<KeptAct>>(
        `SELECT nonce, target, reason, at, act, expires_at AS expiresAt, result FROM acts
         WHERE vault = ? AND nonce = ?`,
        ...[vaultId, nonce],
      )
      .toArray()
    return row
      ? { ...row, result: row.result === null ? null : (JSON.parse(row.result) as ActResult) }
      : null
  }
}

function done(message: string): ActResult {
  return { isDone: true, message }
}

function notDone(message: string): ActResult {
  return { isDone: false, message }
}

function overtaken(): ActResult {
  return notDone('A newer order has already decided whether this wallet is frozen.')
}
