import { messageOf } from '../../src/core/fault.ts'
import { invariant } from '../../src/core/invariant.ts'
import { isRefusal, refuse, type Refusal } from '../../src/core/refusal.ts'
import { operationId } from '../../src/ledger/operation.ts'
import {
  checkKnown,
  goesOnFrom,
  postingsBetween,
  restoredBalances,
  type LastKnownState,
  type RestorationResult,
  type EntryId,
} from '../../src/ledger/restoration.ts'
import { amountTexts, perToken, TOKENS, type PerToken } from '../../src/money/token.ts'
import { walletSwitch } from '../../src/operator/modes.ts'
import type { Safeguards } from '../../src/protection/safeguards.ts'
import type { KnownWithdrawal } from '../../src/relayer/payout.ts'
import { textOf } from '../kernel/stored.ts'
import type { Archive } from './archive.ts'
import type { Bets } from './bets.ts'
import type { LedgerKernel } from './kernel.ts'
import { hasEntry } from './known-entry.ts'
import type { Limits } from './limits.ts'
import { LostTransfers, type LostTransfer } from './lost-transfers.ts'
import type { Mines } from './mines.ts'
import type { Permissions } from './permissions.ts'
import type { Plays } from './plays.ts'
import { safeguardsOf, takeOver } from './safeguards.ts'
import type { Transfers } from './transfers.ts'
import type { VaultTransactions } from './vault-transactions.ts'
import type { Withdrawals } from './withdrawals.ts'

/** The request that lets a ledger resume after it has gone back. */
export interface RecoveryRequest {
  /** The operators' act. */
  actId: string
  known: LastKnownState
  /** The latest entry that was left. */
  kept: EntryId
  withdrawals: KnownWithdrawal[]
  /** The acts that have written off its deposits, if the known balances include the loss. */
  writeOffs: string[]
  /**
   * The transactions that each act wrote off, as the ledger noted them. An act without a note covers everything
   * missing.
   */
  writtenOff: Record<string, string>
  /** The player's safeguards, as known to the ledger before it went back, and to D1. */
  safeguards: Safeguards[]
}

/** The fault of a ledger's calls between {@link Recovery.prepareReturn} and its restart. */
export const HAS_YET_TO_RESTART = 'a ledger that goes back has restarted'

/** A ledger's own standing. */
export interface OwnStanding extends EntryId {
  balances: LastKnownState['balances']
  /** When its latest entry was made, in unix milliseconds. */
  at: number
  /** As in {@link LastKnownState}. */
  writtenOffWei: PerToken<bigint>
  /** The number of its latest entry at a time; of the latest of all if the archive doesn't answer. */
  seqThen: number
  /** The requested ids that its journal doesn't have. */
  unused: string[]
  /** Null without any. */
  safeguards: Safeguards | null
  /**
   * Whether it has the requested entry, or has lost it by a restoration since; null without one, or if the archive
   * doesn't answer.
   */
  has: boolean | null
}

/** The answer of a ledger that will go back to an earlier time. */
export interface PreparedReturn {
  /** The bookmark that undoes the return. */
  undo: string
  /** The player's safeguards before the return; null without any. */
  safeguards: Safeguards | null
}

interface Parts {
  archive: Archive
  bets: Bets
  limits: Limits
  mines: Mines
  vaultTransactions: VaultTransactions
  permissions: Permissions
  plays: Plays
  transfers: Transfers
  withdrawals: Withdrawals
}

/** Takes a ledger back to an earlier time, and lets it continue without repeating a play, a seed or a partner's id. */
export class Recovery {
  readonly #kernel: LedgerKernel
  readonly #parts: Parts
  /** Whether the object goes back to an earlier time with its next start. */
  #goesBack = false
  /** How many calls are asking the platform for that. */
  #asking = 0

  constructor(kernel: LedgerKernel, parts: Parts) {
    this.#kernel = kernel
    this.#parts = parts
  }

  /**
   * Returns the ledger's own standing.
   * @param unixMs the time for `seqThen`; 0 for none
   * @param ids operations from outside; those that the journal lacks become `unused`
   * @param entry an entry known elsewhere; `has` says whether the journal has it
   * @throws if the object has yet to restart to go back
   */
  async standing(
    unixMs: number,
    ids: readonly string[] = [],
    entry: EntryId | null = null,
  ): Promise<OwnStanding> {
    const seqThen = unixMs === 0 ? 0 : await this.#seqAt(unixMs)
    const has = entry && (await hasEntry(this.#kernel, this.#parts.archive, entry))
    invariant(!this.#goesBack, HAS_YET_TO_RESTART)
    const { journal } = this.#kernel
    const { seq, hash, balances, at } = journal.latest()
    const unused = ids.filter((id) => !journal.has(id))
    const writtenOffWei = this.#parts.vaultTransactions.writtenOffWei()
    const safeguards = safeguardsOf(this.#parts)
    return {
      seq,
      hash,
      balances,
      at,
      writtenOffWei,
      seqThen,
      unused,
      safeguards,
      has: typeof has === 'boolean' ? has : null,
    }
  }

  /**
   * Returns the number of the latest entry at a time. If the archive doesn't answer, that of the latest entry of all.
   */
  async #seqAt(unixMs: number): Promise<number> {
    const { journal } = this.#kernel
    const seq = await this.#parts.archive.runOrRefuse(
      () => journal.firstSeqAfter(unixMs) - 1,
      'house',
    )
    return typeof seq === 'number' ? seq : journal.latest().seq
  }

  /**
   * Has the object go back to a time with its next start. Until then it answers no {@link standing}, and refuses
   * changes that it would lose ({@link refusal}). Safe to repeat.
   */
  async prepareReturn(unixMs: number): Promise<PreparedReturn | Refusal> {
    // In the same turn as changes begin to be refused, so that none can come in between.
    this.#asking++
    const safeguards = this.#safeguards()
    try {
      const prepared = await this.askPlatform(unixMs)
      if (isRefusal(prepared)) return prepared
      this.#goesBack = true
      return { ...prepared, safeguards }
    } finally {
      this.#asking--
    }
  }

  /**
   * Returns the player's safeguards; null if they can't be read, because a damaged ledger must be able to go back, too.
   */
  #safeguards(): Safeguards | null {
    try {
      return safeguardsOf(this.#parts)
    } catch {
      return null
    }
  }

  /** Refuses a change by the player that the ledger would lose by going back; null if it doesn't. */
  refusal(): Refusal | null {
    if (!this.#goesBack && this.#asking === 0) return null
    return refuse(
      'closed',
      'The ledger of this wallet is being restored. Nothing has changed. Send the same call again in a minute.',
      { name: walletSwitch(this.#kernel.wallet), mode: 'closed' },
    )
  }

  /**
   * Asks the platform to restore an earlier time with the object's next start.
   * @param unixMs within the last thirty days
   * @returns the bookmark that undoes it, or why it is not possible
   */
  async askPlatform(unixMs: number): Promise<{ undo: string } | Refusal> {
    const { storage } = this.#kernel
    try {
      const bookmark = await storage.getBookmarkForTime(unixMs)
      return { undo: await storage.onNextSessionRestoreBookmark(bookmark) }
    } catch (fault) {
      return refuse('invalid_request', `The ledger can't go back: ${messageOf(fault)}`)
    }
  }

  /**
   * Marks ids that partners have used and the ledger has lost, before it goes on: in one transaction, so a few thousand
   * at most, and transactions before rollbacks. Safe to repeat.
   */
  markLost(actId: string, transfers: readonly LostTransfer[]): void {
    this.#kernel.open()
    const { clock, journal } = this.#kernel
    // The wallet may be open again, so an id that the ledger lacks may be new.
    if (journal.has(operationId('restored', actId))) return
    const at = clock.now()
    this.#kernel.commit(at, () => {
      new LostTransfers(journal, this.#parts.transfers).mark(transfers, at)
    })
  }

  /**
   * Lets the ledger resume after the last entry that anybody may know. All deposits must have been reported again, and
   * lost ids marked. A repeated call gets the same answer.
   * @throws if a bet has not ended yet
   */
  async goOn(request: RecoveryRequest): Promise<RestorationResult | Refusal> {
    this.#kernel.open()
    const { journal } = this.#kernel
    const id = operationId('restored', request.actId)
    const before = journal.find<RestorationResult>(id)
    if (before) return { ...before.result, goesOn: { seq: before.seq, hash: before.hash } }
    // Even if the restore is refused, because the wallet may be opened all the same.
    takeOver(this.#parts, request.safeguards)
    await this.#parts.bets.settleClosed()
    invariant(this.#parts.bets.open.length === 0, 'every bet of a closed wallet has ended')
    for (const actId of request.writeOffs) {
      if (journal.has(operationId('write-off', actId))) continue
      this.#parts.vaultTransactions.writeOff(actId, request.writtenOff[actId])
    }
    this.#learnEnds(request)
    const refusal = this.#refusal(request)
    if (refusal) return refusal
    const restored = this.#record(id, request)
    // The parts' memory predates the restoration.
    this.#kernel.forget()
    return restored
  }

  /** Ends the withdrawals that were in progress at the entry that was left. */
  #learnEnds({ actId, withdrawals }: RecoveryRequest): void {
    const own = this.#parts.withdrawals
    for (const ended of withdrawals) {
      const { order, outcome, txHash, version } = ended
      const known = own.known(order)
      if (outcome === null || !known) continue
      const { vaultId, nonce } = order
      if (known.isOther) {
        if (!known.hasEnded) own.endOther(ended, actId)
      } else own.progress(vaultId, nonce, { status: outcome, txHash, version })
    }
  }

  #refusal({ known, kept, withdrawals }: RecoveryRequest): Refusal | null {
    const open = withdrawals.find((each) => each.outcome === null && !this.#knowsEnd(each))
    if (open) {
      return refuse(
        'withdrawal_pending',
        `The withdrawal ${open.order.nonce} has not ended, or operators have ended it. Wait, or decide by hand.`,
      )
    }
    const { balances } = this.#kernel.journal.latest()
    if (TOKENS.some((token) => balances[token].withdrawing > 0n)) {
      return refuse(
        'withdrawal_pending',
        'The relayer does not know of a withdrawal in progress yet. Wait until it has ended.',
      )
    }
    return checkKnown(known, kept.seq)
  }

  /** Returns whether the ledger knows a withdrawal's end, although the relayer has no outcome for it. */
  #knowsEnd({ order, closedBy }: KnownWithdrawal): boolean {
    const { vaultId, nonce } = order
    return closedBy
      ? this.#kernel.journal.has(operationId('resolve', vaultId, nonce, closedBy))
      : this.#parts.withdrawals.known(order)?.hasEnded === true
  }

  #record(id: string, request: RecoveryRequest): RestorationResult {
    const { actId, known, kept, withdrawals } = request
    const { clock, journal } = this.#kernel
    const at = clock.now()
    const last = Math.max(goesOnFrom(known), journal.latest().seq + 1)
    return this.#kernel.commit(at, () => {
      while (journal.latest().seq < last - 1) {
        const lost = { id: operationId('lost', journal.latest().seq + 1), request: actId, at }
        journal.recordInOrder(lost, { postings: [], result: null })
      }
      const { balances: now } = journal.latest()
      const lost = withdrawals.filter((each) => !this.#parts.withdrawals.known(each.order))
      const withdrawn = perToken((token) =>
        lost
          .filter(
            ({ order: { token: paid }, outcome }) => paid === token && outcome === 'confirmed',
          )
          .reduce((sum, { order: { amountWei } }) => sum + BigInt(amountWei), 0n),
      )
      const writtenOffWei = this.#parts.vaultTransactions.writtenOffWei()
      const { balances, borneWei } = restoredBalances(now, known, { withdrawn, writtenOffWei })
      const result = {
        kept,
        known: { seq: known.seq, hash: known.hash },
        borneWei: amountTexts(borneWei),
      }
      // The seed that came next then may have been disclosed, so it is never used.
      const drawn = this.#parts.plays.drawAfter({ nonce: last - 1, seedHash: '' })
      journal.record(
        { id, request: textOf(known), at },
        { postings: postingsBetween(now, balances), result },
        // A game that was open has ended since, and its result may have been disclosed.
        { nextPlay: { nonce: drawn.nonce, seed: drawn.seed }, openGame: null },
      )
      const { seq, hash } = journal.latest()
      for (const each of lost) this.#parts.withdrawals.applyAgain(each, at)
      return { ...result, goesOn: { seq, hash } }
    })
  }
}
