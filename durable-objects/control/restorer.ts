import { getAddress } from 'viem'
import { isThrownByObject, retried } from '../../src/calls/call.ts'
import { ledger, relayer, vaultWatch } from '../../src/calls/objects.ts'
import { appendToLog } from '../../src/calls/public-log.ts'
import { loadConfig } from '../../src/config/load.ts'
import { invariant } from '../../src/core/invariant.ts'
import { isRefusal } from '../../src/core/refusal.ts'
import { DAY_MS } from '../../src/core/utc-day.ts'
import { findPosition } from '../../src/history/positions.ts'
import {
  checkKnown,
  restorationEntry,
  type EntryId,
  type RestorationResult,
} from '../../src/ledger/restoration.ts'
import { logEvent, logFault } from '../../src/log.ts'
import { notDone, type ActResult } from '../../src/operator/act.ts'
import { LAST_KNOWN_MS, walletSwitch } from '../../src/operator/modes.ts'
import type { Part } from '../kernel/kernel.ts'
import { firstRow } from '../kernel/rows.ts'
import { textOf } from '../kernel/stored.ts'
import { HAS_YET_TO_RESTART, type OwnStanding } from '../ledger/recovery.ts'
import { LostIds } from './lost-ids.ts'
import type { ModesStore } from './modes-store.ts'
import {
  knownBy,
  knownByD1,
  lastKnown,
  readPending,
  withSafeguards,
  type NotedState,
  type PendingRestoration,
  type PendingRow,
} from './pending-restoration.ts'
import type { PastWriteOff } from './wallet-acts.ts'

/**
 * The restorations that have not been completed: each ledger's last known state, the last entry that it kept, and the
 * result once it has resumed.
 */
const TABLES = `
  CREATE TABLE restorations (
    act_id TEXT PRIMARY KEY,
    wallet TEXT NOT NULL,
    known TEXT NOT NULL,
    undo TEXT,
    kept TEXT,
    result TEXT
  ) STRICT, WITHOUT ROWID;
`

/** Cloudflare keeps the states of an object for thirty days. */
const MAX_BACK_MS = 30 * DAY_MS

/** Parses the target of a `restore` act: a wallet, and the time to go back to, if any. */
export function restorationOf(target: string): Pick<Restoration, 'wallet' | 'backTo'> {
  const [wallet = '', time] = target.split('@')
  return { wallet: getAddress(wallet), backTo: time === undefined ? null : Date.parse(time) }
}

/** Returns why a ledger can't be restored now; null if it can. */
export function notRestorable(
  { wallet, backTo }: Pick<Restoration, 'wallet' | 'backTo'>,
  modes: Pick<ModesStore, 'isClosedSince'>,
  now: number,
): string | null {
  if (backTo !== null && !(backTo < now && backTo > now - MAX_BACK_MS)) {
    return 'A ledger can go back to a time within the last thirty days.'
  }
  const name = walletSwitch(wallet)
  // After that, no reader can still believe that the wallet is open.
  return modes.isClosedSince(name, now - LAST_KNOWN_MS)
    ? null
    : `Close the wallet and wait five minutes, then restore it: mode ${name}=closed`
}

/** A ledger to restore. `backTo` is the time that it goes back to first; null if it has gone back already. */
interface Restoration {
  actId: string
  /** In EIP-55 form. */
  wallet: string
  backTo: number | null
  /** In unix milliseconds. */
  now: number
  /** The acts that have written off deposits of the wallet. */
  writeOffs: PastWriteOff[]
}

/** A restoration's stored result, with the details for the public log. */
interface StoredResult extends ActResult {
  restored: RestorationResult
}

/** The outcome of a restoration. */
export interface RestoreResult extends ActResult {
  /** Set if the ledger can't be frozen, because it doesn't answer, or needn't be, because it has not gone back. */
  skipsFreeze?: true
}

/** Takes ledgers back to an earlier time, and lets them resume from the state that other objects know. */
export class Restorer implements Part {
  readonly migration = { id: 'restorations', sql: TABLES }
  readonly lostIds: LostIds
  readonly #sql: SqlStorage
  readonly #env: Env
  readonly #object: string
  readonly #underWay = new Map<string, Promise<RestoreResult>>()

  constructor(sql: SqlStorage, env: Env, object: string) {
    this.#object = object
    this.#sql = sql
    this.#env = env
    this.lostIds = new LostIds(sql, env, object)
  }

  /** Restores a ledger, once for simultaneous calls. Every step can be repeated, so a fault only delays it. */
  async restore(restoration: Restoration): Promise<RestoreResult> {
    const { actId } = restoration
    const restoring = this.#underWay.get(actId) ?? this.#restore(restoration)
    this.#underWay.set(actId, restoring)
    try {
      return await restoring
    } finally {
      this.#underWay.delete(actId)
    }
  }

  /**
   * Drops the notes on a ledger, in the caller's transaction that ends the act: if the act is delivered again before
   * then, the ledger must not go back again.
   */
  complete(target: string): void {
    const { wallet } = restorationOf(target)
    this.#sql.exec('DELETE FROM restorations WHERE wallet = ?', wallet)
    this.lostIds.drop(wallet)
  }

  /** Returns the result of an act that has restored its ledger, until {@link complete}; null before the restore. */
  resultOf(actId: string): ActResult | null {
    const result = this.#resultOf(actId)
    return result && { isDone: result.isDone, message: result.message }
  }

  /** Appends an act's restore to the public log, if the act has restored its ledger. Safe to repeat. */
  async appendToLog(actId: string, wallet: string, now: number): Promise<void> {
    const restored = this.#resultOf(actId)?.restored
    if (!restored || !loadConfig(this.#env).log) return
    await appendToLog(this.#env, restorationEntry(actId, wallet, restored, now))
  }

  #resultOf(actId: string): StoredResult | null {
    const row = firstRow(
      this.#sql.exec<{ result: string | null }>(
        'SELECT result FROM restorations WHERE act_id = ?',
        actId,
      ),
    )
    return row?.result ? (JSON.parse(row.result) as StoredResult) : null
  }

  /** Returns whether an act has begun to restore its ledger. */
  hasBegun(actId: string): boolean {
    return this.#underWay.has(actId) || this.#find(actId) !== null
  }

  async #restore(restoration: Restoration): Promise<RestoreResult> {
    const { actId, wallet } = restoration
    const begun = this.#find(actId) ?? (await this.#begin(restoration))
    if ('isDone' in begun) return begun
    const back = begun.kept === null ? await this.#goBack(restoration, begun) : begun
    if ('isDone' in back) return back
    const { kept, undo } = back
    const { safeguards, entry: _entry, ...known } = back.known
    invariant(kept !== null, 'a ledger that has gone back has kept something')
    await this.lostIds.mark(actId, wallet)
    const writeOffs = restoration.writeOffs.filter(({ at }) => at <= known.at)
    const restored = await retried(async () =>
      ledger(this.#env, wallet).goOn({
        actId,
        known,
        kept,
        withdrawals: await this.#withdrawals(wallet),
        safeguards,
        writeOffs: writeOffs.map(({ id }) => id),
        writtenOff: Object.fromEntries(
          writeOffs.flatMap(({ id, writtenOff }) => (writtenOff ? [[id, writtenOff]] : [])),
        ),
      }),
    )
    if (isRefusal(restored)) return notDone(restored.error.message + undoneBy(undo))
    const { goesOn, borneWei } = restored
    const left =
      kept.seq > known.seq
        ? `The ledger ended at entry ${kept.seq}, and lacked the last known one, ${known.seq}.`
        : `The ledger kept ${kept.seq} of ${known.seq} entries.`
    const borne = `the house bears ${borneWei.ETH} ETH and ${borneWei.USDG} USDG in smallest units`
    const result: ActResult = {
      isDone: true,
      message: `${left} The journal resumes at entry ${goesOn.seq}, and ${borne}. The wallet stays closed until two operators open it.${undoneBy(undo)}`,
    }
    // Before anything that may fail: operators can see that the ledger is right, and open the wallet.
    this.#sql.exec(
      'UPDATE restorations SET result = ? WHERE act_id = ?',
      JSON.stringify({ ...result, restored } satisfies StoredResult),
      actId,
    )
    logEvent('ledger_restored', {
      object: this.#object,
      wallet,
      kept: kept.seq,
      known: known.seq,
      goesOn: goesOn.seq,
    })
    return result
  }

  /** Notes the ledger's last known state: its own, D1's, or that of an uncompleted restoration. */
  async #begin({ actId, wallet, backTo }: Restoration): Promise<PendingRestoration | ActResult> {
    // Partners may have used the ids of an earlier restore since, while the wallet was open.
    this.lostIds.drop(wallet)
    // A ledger that has gone back already can't say which ids it had seen.
    const before = backTo === null ? null : await this.#standing(wallet, backTo)
    if (before) await this.lostIds.noteUnused(wallet)
    // D1 is read before the ledger, so that a ledger that has lost nothing has this entry.
    const listed = await findPosition(this.#env.DB, wallet)
    const entry = listed && { seq: listed.version, hash: listed.headHash }
    const own = await this.#standing(wallet, backTo ?? 0, entry)
    const hasListed = own !== null && (entry === null || hasOf(own))
    // A ledger that has gone back and not resumed can't report its former state.
    const gone = await this.#gone(wallet, own)
    const isWhole = hasListed && gone.length === 0
    // An entry stored in the meantime may have used one of the ids noted as unused.
    if (!isWhole || own.hash !== before?.hash) this.lostIds.drop(wallet)
    const latest = lastKnown(own && knownBy(own), {
      hasListed,
      gone,
      listed: listed && knownByD1(listed),
      goesBack: backTo !== null,
    })
    if (latest === null)
      return notDone('Neither the ledger nor D1 knows of an entry of this wallet.')
    if (backTo === null && isWhole) {
      return notDone('The ledger has every entry that D1 knows of. Name a time to restore it to.')
    }
    const safeguards = [...gone, listed, own].flatMap((each) => each?.safeguards ?? [])
    const known = { ...latest, safeguards }
    // A ledger that has gone back already makes this check itself, after taking over the player's safeguards.
    const refusal = backTo === null ? null : checkKnown(known, own?.seqThen ?? known.seq)
    if (refusal) return notDone(refusal.error.message)
    this.#sql.exec(
      'INSERT INTO restorations (act_id, wallet, known) VALUES (?, ?, ?)',
      actId,
      wallet,
      textOf(known),
    )
    return { known, undo: null, kept: null }
  }

  /**
   * Returns the ledger's own standing; null if it is too damaged to answer.
   * @param entry the entry to look for in its journal
   * @throws if the ledger can't be reached: then the act is carried out later
   */
  async #standing(
    wallet: string,
    unixMs: number,
    entry: EntryId | null = null,
  ): Promise<OwnStanding | null> {
    try {
      return await retried(async () => ledger(this.#env, wallet).standing(unixMs, [], entry))
    } catch (fault) {
      if (!isThrownByObject(fault)) throw fault
      logFault('ledger_standing_unknown', fault, { object: this.#object, wallet })
      return null
    }
  }

  /**
   * Takes the ledger back, or returns why it can't go back. If it was damaged even at that time, ends the act, so that
   * operators can sign one for an earlier time. A first attempt never ends the act, because the call itself may have
   * been at fault.
   */
  async #goBack(
    restoration: Restoration,
    begun: PendingRestoration,
  ): Promise<PendingRestoration | RestoreResult> {
    try {
      return await this.#tryToGoBack(restoration, begun)
    } catch (fault) {
      const isFirst = restoration.backTo !== null && begun.undo === null
      if (isFirst || !isThrownByObject(fault) || fault.message.includes(HAS_YET_TO_RESTART))
        throw fault
      logFault('ledger_standing_unknown', fault, {
        object: this.#object,
        wallet: restoration.wallet,
      })
      const message = 'The ledger was already damaged then. Restore it to an earlier time.'
      return { ...notDone(message + undoneBy(begun.undo)), skipsFreeze: true }
    }
  }

  async #tryToGoBack(
    { actId, wallet, backTo, now }: Restoration,
    pending: PendingRestoration,
  ): Promise<PendingRestoration | RestoreResult> {
    let { known, undo } = pending
    if (backTo !== null) {
      const prepared = await retried(async () => ledger(this.#env, wallet).prepareReturn(backTo))
      if (isRefusal(prepared)) {
        this.#sql.exec('DELETE FROM restorations WHERE act_id = ?', actId)
        const ended = notDone(prepared.error.message)
        return undo === null ? { ...ended, skipsFreeze: true } : ended
      }
      // If this is repeated, only the first bookmark is from before the return.
      undo ??= prepared.undo
      known = withSafeguards(known, prepared.safeguards)
      this.#sql.exec(
        'UPDATE restorations SET undo = ?, known = ? WHERE act_id = ?',
        undo,
        textOf(known),
        actId,
      )
      // The ledger restarts instead of answering.
      await ledger(this.#env, wallet)
        .restart()
        .catch(() => {})
    }
    const { seq, hash } = await retried(async () => ledger(this.#env, wallet).standing(now))
    const kept = { seq, hash }
    this.#sql.exec(
      'UPDATE restorations SET undo = ?, kept = ? WHERE act_id = ?',
      undo,
      JSON.stringify(kept),
      actId,
    )
    return { known, undo, kept }
  }

  /** Has the deposits reported again, and returns the wallet's withdrawals. */
  async #withdrawals(wallet: string) {
    const { vault } = loadConfig(this.#env)
    if (!vault) return []
    await retried(async () => vaultWatch(this.#env, vault.id).tellAgain(wallet))
    return retried(async () => relayer(this.#env, vault.chainId).withdrawalsOf(wallet))
  }

  /**
   * Returns the states noted before a wallet's ledger went back in uncompleted restorations, except states that the
   * ledger has again because the return was undone.
   */
  async #gone(wallet: string, own: OwnStanding | null): Promise<NotedState[]> {
    const gone: NotedState[] = []
    // A ledger that was damaged after its return has only the bookmark.
    const hasGoneBack = '(kept IS NOT NULL OR undo IS NOT NULL) AND result IS NULL AND wallet = ?'
    for (const { known } of this.#select(hasGoneBack, wallet)) {
      // The entry's number alone proves nothing: entries for deposits reported again may have reached it.
      if (own === null || !(await this.#has(wallet, known.entry))) gone.push(known)
    }
    return gone
  }

  async #has(wallet: string, entry: EntryId): Promise<boolean> {
    return hasOf(await retried(async () => ledger(this.#env, wallet).standing(0, [], entry)))
  }

  #find(actId: string): PendingRestoration | null {
    return this.#select('act_id = ?', actId)[0] ?? null
  }

  #select(where: string, binding: string): PendingRestoration[] {
    return this.#sql
      .exec<PendingRow>(`SELECT known, undo, kept FROM restorations WHERE ${where}`, binding)
      .toArray()
      .map(readPending)
  }
}

/** Returns how to undo a return, for its act's message. @param undo the bookmark; null without a return */
function undoneBy(undo: string | null): string {
  return undo === null ? '' : ` The bookmark ${undo} undoes the return.`
}

/** @throws if the archive doesn't answer: without it, the balances to restore can't be chosen */
function hasOf({ has }: OwnStanding): boolean {
  invariant(typeof has === 'boolean', 'the ledger can look for the entry')
  return has
}
