import { DurableObject } from 'cloudflare:workers'
import { retried } from '../src/calls/call.ts'
import { crashTable, relayer } from '../src/calls/objects.ts'
import { loadConfig } from '../src/config/load.ts'
import { invariant } from '../src/core/invariant.ts'
import { refuse, type Refusal } from '../src/core/refusal.ts'
import { HOUR_MS, isoTime } from '../src/core/utc-day.ts'
import type { ControlFacts } from '../src/health/facts.ts'
import { logEvent, logFault } from '../src/log.ts'
import {
  done,
  modeSettings,
  notDone,
  weightOf,
  type Act,
  type ActResult,
} from '../src/operator/act.ts'
import { judgeApproval, type ControlOverview, type ActRecord } from '../src/operator/approval.ts'
import type { OperatorJournalEntry } from '../src/operator/journal.ts'
import {
  isWalletSwitch,
  LEAD_MS,
  WITHDRAWALS,
  type Modes,
  type ModesChange,
} from '../src/operator/modes.ts'
import { authorityOf } from '../src/operator/roles.ts'
import type { ModesVersion } from '../src/operator/versions.ts'
import { ActStore } from './control/act-store.ts'
import { LoggedVersions } from './control/logged-versions.ts'
import { ModesStore } from './control/modes-store.ts'
import { reproject } from './control/reproject.ts'
import { notRestorable, restorationOf, Restorer, type RestoreResult } from './control/restorer.ts'
import { houseActHash, houseClosure, MAX_CLOSED_WALLETS, settingsOf } from './control/settings.ts'
import { switchNames } from './control/switches.ts'
import { freeze, resolveWithdrawal, setFrozen, unfreeze, writeOff } from './control/wallet-acts.ts'
import { Kernel } from './kernel/kernel.ts'
import { ownerOf } from './kernel/owner.ts'

/**
 * The most acts that one operator may sign within an hour, so that a leaked key does bounded damage. Each wallet that
 * an act closes counts as one.
 */
const MAX_ACTS_PER_HOUR = 100

/** Freezes that are listed for operators. */
const MAX_FREEZES = 100

/** The caller's request carries out its act; the alarm takes over after this. */
const EAGER_DELIVERY_MS = 10_000

/** The operators' acts, with their signatures and results, and the modes that operators have set. */
export class Control extends DurableObject<Env> {
  readonly #kernel = new Kernel(this.ctx, ownerOf('Control', this.ctx, this.env))
  readonly #acts = new ActStore(this.ctx.storage.sql)
  readonly #modes = new ModesStore(this.ctx.storage.sql)
  readonly #restorer = new Restorer(this.ctx.storage.sql, this.env, this.#kernel.owner.object)
  readonly #loggedVersions = new LoggedVersions(this.#kernel, this.#modes, this.env)

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#kernel.assemble([
      this.#acts,
      { deliver: { act: (payload) => this.#deliver(payload) } },
      this.#kernel.outbox,
      this.#modes,
      this.#restorer,
      this.#restorer.lostIds,
    ])
    this.#kernel.open()
    this.#kernel.clock.notBefore(this.#modes.latest()?.at ?? 0)
  }

  /**
   * Returns the modes in force and those to come. A reader uses an answer for less than {@link LEAD_MS}, so it knows
   * every version before that takes effect.
   */
  async modes(): Promise<ModesChange[]> {
    await this.#loggedVersions.catchUp()
    return this.#changes()
  }

  /** Returns the newest version of the modes; null before the first. */
  async newestModes(): Promise<ModesVersion | null> {
    await this.#loggedVersions.catchUp()
    return this.#modes.latest()
  }

  /** Returns the facts behind its health. */
  async facts(): Promise<ControlFacts> {
    return {
      closedWallets: Object.keys(this.#current()).filter(isWalletSwitch).length,
      databaseBytes: this.ctx.storage.sql.databaseSize,
    }
  }

  /** Returns the switches, and the acts that are waiting or were decided recently. */
  async overview(): Promise<ControlOverview> {
    await this.#loggedVersions.catchUp()
    const version = this.#modes.latest()
    const config = loadConfig(this.env)
    return {
      version,
      switches: switchNames(config, this.#current()),
      acts: this.#acts.list(this.#kernel.clock.now(), config.operators),
    }
  }

  /** Returns the acts by which wallets are frozen now, the oldest first. */
  async freezes(): Promise<ActRecord[]> {
    return this.#acts.freezes(MAX_FREEZES)
  }

  /** Returns the switches of single wallets that are not open now, each with the act that set it. */
  async closedWallets(): Promise<{ name: string; act: ActRecord }[]> {
    const names = Object.keys(this.#current()).filter(isWalletSwitch)
    return names.slice(0, MAX_CLOSED_WALLETS).flatMap((name) => {
      const act = this.#acts.latestSetting(name)
      return act ? [{ name, act }] : []
    })
  }

  /** Returns up to a hundred entries of the journal. @param after the number of the entry before them */
  async journal(after: number): Promise<OperatorJournalEntry[]> {
    return this.#acts.journal(after)
  }

  /**
   * Journals an operator's signature of an act, already verified by the caller, and carries the act out if it needs no
   * further signature. A repeated approval returns the act's current record. If another object doesn't answer, the act
   * is carried out later.
   * @param hash the act's EIP-712 hash, which the operator signed
   */
  async approve(
    hash: string,
    act: Act,
    { operator, signature }: { operator: string; signature: string },
  ): Promise<ActRecord | Refusal> {
    const now = this.#kernel.clock.now()
    const { operators, vault } = loadConfig(this.env)
    const earlier = this.#acts.find(hash) ?? this.#forgotten(hash, act)
    const ruling = judgeApproval(act, earlier, operator, operators, now)
    if (typeof ruling === 'object') return ruling
    // Not once both operators have signed it.
    const problem = earlier ? null : this.#problemOf(act)
    if (problem !== null) return refuse('invalid_request', problem)
    const role = operators.get(operator)
    if (ruling === 'known' || role === undefined) return earlier ?? this.#kept(hash)
    const signed = this.#acts.signedSince(operator, now - HOUR_MS).map(weightOf)
    const total = signed.reduce((sum, weight) => sum + weight, weightOf(act))
    if (total > MAX_ACTS_PER_HOUR) return TOO_MANY_ACTS
    const messageId = this.#kernel.transact(() => {
      this.#acts.propose(hash, vault?.id ?? null, act)
      this.#acts.approve({ operator, role, at: now, act, actHash: hash, signature })
      return ruling === 'waits' ? null : this.#decide(hash, now)
    })
    logEvent('act_signed', {
      object: this.#kernel.owner.object,
      hash,
      act: act.act,
      target: act.target,
      operator,
      role,
    })
    if (messageId !== null) await this.#deliverNow(hash, messageId, now)
    return this.#kept(hash)
  }

  /**
   * Returns an act that has made a version, but was forgotten because this object was restored to an earlier time; null
   * for any other act. Who signed it is unknown.
   */
  #forgotten(hash: string, act: Act): ActRecord | null {
    const made = this.#modes.madeBy(hash)
    return (
      made && {
        ...act,
        hash,
        needs: authorityOf(act),
        approvals: [],
        decidedAt: made.at,
        result: resultOf(made),
      }
    )
  }

  /** Closes withdrawals by an act of the house itself. Safe to repeat: each reason makes one act. */
  async pauseWithdrawals(reason: string): Promise<void> {
    await this.#orderByHouse(reason, () => `${WITHDRAWALS}=closed`)
  }

  /** Likewise closes a wallet whose ledger has gone back in time, or everything if too many wallets are closed. */
  async closeWallet(wallet: string, reason: string): Promise<void> {
    await this.#orderByHouse(`${wallet}: ${reason}`, (modes) => houseClosure(wallet, modes))
  }

  /** @param targetOf returns the `mode` act's target, given the switches that aren't open */
  async #orderByHouse(reason: string, targetOf: (modes: Modes) => string): Promise<void> {
    await this.#loggedVersions.catchUp()
    const hash = houseActHash(reason)
    const now = this.#kernel.clock.now()
    if (this.#acts.find(hash)) return
    const expiresAt = Math.ceil((now + EAGER_DELIVERY_MS) / 1_000)
    const target = targetOf(this.#current())
    const messageId = this.#kernel.transact(() => {
      this.#acts.propose(hash, null, { act: 'mode', target, reason, expiresAt })
      const id = this.#decide(hash, now)
      // In the same transaction, so that the house's next act counts the wallet that this one closes.
      this.#makeDelayed(hash, now)
      this.#modes.set(hash, { modes: Object.fromEntries(modeSettings(target)) }, now)
      return id
    })
    await this.#deliverNow(hash, messageId, now)
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#kernel.run(info)
  }

  /** Returns the switches that aren't open, including changes that have yet to take effect. */
  #current(): Modes {
    return this.#modes.latest()?.modes ?? {}
  }

  /** Begins with the modes that were in force a while ago, because a reader's clock may be behind. */
  #changes(): ModesChange[] {
    return this.#modes.changes(this.#kernel.clock.now() - LEAD_MS)
  }

  /** Records, in the caller's transaction, that an act will be carried out. @returns the message that does it */
  #decide(hash: string, now: number) {
    this.#acts.decide(hash, now)
    return this.#kernel.outbox.add({ kind: 'act', payload: hash }, now + EAGER_DELIVERY_MS)
  }

  async #deliverNow(hash: string, messageId: number, now: number): Promise<void> {
    this.#kernel.alarm.wakeBy(now + EAGER_DELIVERY_MS, now)
    try {
      await this.#deliver(hash)
      this.#kernel.outbox.markDelivered(messageId)
    } catch (fault) {
      logFault('act_delayed', fault, { object: this.#kernel.owner.object, hash })
    }
  }

  async #deliver(hash: string): Promise<void> {
    const kept = this.#kept(hash)
    // If it is delivered again after a restart, it must not affect anything newer.
    if (kept.result) return
    const result = await this.#do(kept)
    // Another delivery may have ended it meanwhile.
    if (this.#kept(hash).result) return
    const { act, target } = kept
    logEvent('act_ended', {
      object: this.#kernel.owner.object,
      hash,
      act,
      target,
      message: result.message,
    })
    this.#kernel.transact(() => {
      if (act === 'restore' && result.isDone) this.#restorer.complete(target)
      this.#acts.end(hash, result)
    })
  }

  async #do(kept: ActRecord): Promise<ActResult> {
    const { act, target, hash, decidedAt } = kept
    invariant(decidedAt !== null, `act ${hash} has all its signatures`)
    switch (act) {
      case 'mode':
      case 'terms':
        return this.#set(kept)
      case 'freeze':
        return freeze(this.env, target, { id: hash, at: decidedAt })
      case 'unfreeze':
        return unfreeze(this.env, target, { id: hash, at: decidedAt })
      case 'write-off':
        return writeOff(this.env, target, hash)
      case 'confirm-withdrawal':
        return this.#resolve(target, 'confirmed', hash)
      case 'release-withdrawal':
        return this.#resolve(target, 'failed', hash)
      case 'restore':
        return this.#restore(target, hash)
      case 'reproject':
        return reproject(this.env, target, decidedAt)
    }
  }

  async #restore(target: string, actId: string): Promise<ActResult> {
    const result: RestoreResult =
      this.#restorer.resultOf(actId) ?? (await this.#restored(target, actId))
    const { wallet } = restorationOf(target)
    const frozen = this.#acts.latestFreeze(wallet)
    if (frozen && !result.skipsFreeze)
      await setFrozen(this.env, wallet, { id: frozen.hash, ...frozen })
    // After the freeze, which an open wallet needs at once: the public log may append nothing for hours.
    await this.#restorer.appendToLog(actId, wallet, this.#kernel.clock.now())
    return result
  }

  async #restored(target: string, actId: string): Promise<RestoreResult> {
    const now = this.#kernel.clock.now()
    const restoration = restorationOf(target)
    const { wallet } = restoration
    // It may have been opened while the act waited for its second signature.
    const problem = notRestorable(restoration, this.#modes, now)
    if (problem !== null) return notDone(problem)
    if (!this.#restorer.hasBegun(actId) && this.#acts.isRestoring(wallet, actId)) {
      return notDone('Another restore of this wallet is in progress. Wait until it has ended.')
    }
    return this.#restorer.restore({
      actId,
      ...restoration,
      now,
      writeOffs: this.#acts.writeOffsOf(wallet),
    })
  }

  /** Returns why an act can't be carried out; null if it can. */
  #problemOf(act: Act): string | null {
    if (act.act === 'restore') {
      return notRestorable(restorationOf(act.target), this.#modes, this.#kernel.clock.now())
    }
    if (act.act !== 'mode' && act.act !== 'terms') return null
    const settings = settingsOf(act, loadConfig(this.env), this.#current())
    return typeof settings === 'string' ? settings : null
  }

  /** Stores the version before notifying the objects, so readers never lag behind them. */
  async #set({ hash }: ActRecord): Promise<ActResult> {
    await this.#loggedVersions.catchUp()
    const now = this.#kernel.clock.now()
    const made = this.#kernel.transact(() => {
      this.#makeDelayed(hash, now)
      const act = this.#kept(hash)
      // A newer act may have ended it meanwhile.
      return act.result ?? this.#versionOf(act, now)
    })
    if ('isDone' in made) return made
    await this.#announce()
    return resultOf(made)
  }

  /**
   * Makes the versions of delayed acts that were decided before an act. Versions follow each other as their acts did,
   * so a delayed one never replaces a newer one.
   */
  #makeDelayed(hash: string, now: number): void {
    for (const delayed of this.#acts.delayedBefore(hash)) {
      const made = this.#versionOf(delayed, now)
      if ('isDone' in made) this.#acts.end(delayed.hash, made)
    }
  }

  /** Returns an act's version, made the first time, or the result that explains why it has none. */
  #versionOf(act: Act & { hash: string }, now: number): ModesVersion | ActResult {
    const made = this.#modes.madeBy(act.hash)
    if (made) return made
    const settings = settingsOf(act, loadConfig(this.env), this.#current())
    return typeof settings === 'string'
      ? notDone(settings)
      : this.#modes.set(act.hash, settings, now)
  }

  /**
   * Reports the modes to the objects that decide without a caller, and to the public log. Safe to repeat, in any order.
   */
  async #announce(): Promise<void> {
    const { vault } = loadConfig(this.env)
    const changes = this.#changes()
    await Promise.all([
      retried(async () => crashTable(this.env).takeModes(changes)),
      vault && retried(async () => relayer(this.env, vault.chainId).takeModes(changes)),
    ])
    await this.#loggedVersions.publish()
  }

  async #resolve(target: string, outcome: 'confirmed' | 'failed', id: string): Promise<ActResult> {
    const vaultId = this.#acts.vaultOf(id)
    if (vaultId === null) return notDone('This service has no vault, and so no withdrawals.')
    return resolveWithdrawal(this.env, target, { vaultId, outcome, id })
  }

  #kept(hash: string): ActRecord {
    const kept = this.#acts.find(hash)
    invariant(kept, `act ${hash} is in the journal`)
    return kept
  }
}

function resultOf({ number, takesEffectAt }: ModesVersion): ActResult {
  return done(`Version ${number} takes effect at ${isoTime(takesEffectAt)}.`)
}

const TOO_MANY_ACTS = refuse(
  'rate_limited',
  `An operator may sign ${MAX_ACTS_PER_HOUR} acts within an hour, and each wallet that an act closes counts as one. Wait, or let another operator sign.`,
)
