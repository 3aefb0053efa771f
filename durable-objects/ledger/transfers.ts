import { afterCommit } from '../../src/calls/call.ts'
import { partnerLimit } from '../../src/calls/objects.ts'
import { invariant } from '../../src/core/invariant.ts'
import { isRefusal, type Refusal } from '../../src/core/refusal.ts'
import { dayAt } from '../../src/core/utc-day.ts'
import { LEDGER_FULL } from '../../src/ledger/capacity.ts'
import { entryRef, type WithEntry } from '../../src/ledger/journal.ts'
import { operationId } from '../../src/ledger/operation.ts'
import { checkDebitAllowed, checkHour, checkPermitted } from '../../src/ledger/permission.ts'
import { isAnswerLost } from '../../src/ledger/restoration.ts'
import {
  checkChips,
  ROLL_BACK_LATER,
  creditAbove,
  isLateReversal,
  notNow,
  refundDays,
  reversal,
  rollbackText,
  rolledBack,
  transactionText,
  transferPostings,
  undoId,
  usedOtherwise,
  type Rollback,
  type PartnerTransaction,
  type TransferAnswer,
  type TransferResult,
  type TransferRequest,
} from '../../src/ledger/transfer.ts'
import type { Token } from '../../src/money/token.ts'
import { checkNotClosed, partnerSwitch } from '../../src/operator/modes.ts'
import {
  statementEntry,
  type StatementEntry,
  type StatementPage,
  type StatementQuery,
} from '../../src/wallet-bridge/statement.ts'
import { hasRow } from '../kernel/rows.ts'
import type { Debits } from './debits.ts'
import type { Gate } from './gate.ts'
import type { HeadChange } from './journal.ts'
import type { LedgerKernel, LedgerPart } from './kernel.ts'
import type { Limits } from './limits.ts'
import { logRefusedDebit } from './log-refused.ts'
import type { Permissions } from './permissions.ts'
import type { Refill } from './refill.ts'
import { reserveCredit, type Credit } from './reserve-credit.ts'
import type { VaultTransactions } from './vault-transactions.ts'

/** The transactions that were rolled back, some of them before they arrived. */
const TABLES = `
  CREATE TABLE undone (
    partner TEXT NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (partner, id)
  ) STRICT, WITHOUT ROWID;
`

/** The most journal entries read for one page of a statement. */
const STATEMENT_LOOK = 1_000

type Debit = Pick<PartnerTransaction, 'partner' | 'token' | 'amountWei' | 'debits'>

/** Whether a movement may proceed now. If it is ready, a refusal becomes its permanent answer. */
type Prepared = { isReady: true; refusal: Refusal | null } | { isReady: false; refusal: Refusal }

/** The decision on a request. `change` is the movement's change of the head, apart from balances. */
interface DecidedTransfer {
  request: string
  at: number
  refusal: Refusal | null
  amountWei: bigint
  change?: HeadChange
}

const READY: Prepared = { isReady: true, refusal: null }

const NOT_COUNTED: Prepared = {
  isReady: false,
  refusal: notNow("This player's pending chips cannot be counted now."),
}

const DEPOSIT_MISSING: Prepared = {
  isReady: false,
  refusal: notNow("The chain has dropped a block with one of this player's deposits."),
}

/** Partners' movements between a player's chips and their own account. */
export class Transfers implements LedgerPart {
  readonly migration = { id: 'transfers', sql: TABLES }
  readonly #sql: SqlStorage
  readonly #kernel: LedgerKernel
  readonly #vaultTransactions: VaultTransactions
  readonly #permissions: Permissions
  readonly #debits: Debits
  readonly #refill: Refill
  readonly #gate: Gate
  readonly #limits: Limits

  constructor(
    kernel: LedgerKernel,
    parts: {
      vaultTransactions: VaultTransactions
      permissions: Permissions
      debits: Debits
      refill: Refill
      gate: Gate
      limits: Limits
    },
  ) {
    this.#sql = kernel.storage.sql
    this.#kernel = kernel
    this.#vaultTransactions = parts.vaultTransactions
    this.#debits = parts.debits
    this.#permissions = parts.permissions
    this.#refill = parts.refill
    this.#gate = parts.gate
    this.#limits = parts.limits
  }

  /** Debits or credits the player, once. The first answer is permanent. */
  async transact(transaction: PartnerTransaction): Promise<WithEntry<TransferResult> | Refusal> {
    const early = this.#kernel.isOpen ? null : await this.#prepareUnopened(transaction)
    if (early?.isReady === false) return early.refusal
    this.#kernel.open()
    const { journal } = this.#kernel
    const request = transactionText(transaction)
    const { id, partner, token, amountWei, limits } = transaction
    let isUndone = this.isUndone(partner, id)
    const known = this.#known(transaction, request) ?? this.#bar(transaction, isUndone)
    if (known) return this.#released(transaction, known)
    // A movement of zero may be refused too: nobody loses by it.
    if (amountWei > 0n ? this.#kernel.isReserved : this.#kernel.isFull) return LEDGER_FULL
    const tooMuch = amountWei > limits.transactionWei ? creditAbove(limits.transactionWei) : null
    const { seq } = journal.latest()
    const isDecided = tooMuch !== null || isUndone
    const prepared = isDecided ? READY : (early ?? (await this.#prepareTransaction(transaction)))
    if (!prepared.isReady) return prepared.refusal
    // Other calls may have arrived while this one waited. Each leaves an entry.
    const isAsBefore = journal.latest().seq === seq
    isUndone = isAsBefore ? isUndone : this.isUndone(partner, id)
    let answer =
      (isAsBefore ? null : this.#known(transaction, request)) ?? this.#bar(transaction, isUndone)
    if (!answer) {
      const refusal = isUndone
        ? rolledBack(id)
        : (tooMuch ?? prepared.refusal ?? this.#checkDebit(transaction))
      const at = this.#kernel.clock.now()
      const isDebit = amountWei < 0n
      const change = isDebit ? this.#limits.staked(at) : {}
      answer = this.#record(transaction, { request, at, refusal, amountWei, change }, () => {
        if (isDebit) this.#debits.count(partner, token, at, -amountWei)
      })
    }
    // A credit that the limit has just refused has nothing reserved.
    return prepared.refusal ? answer : this.#released(transaction, answer)
  }

  /** Releases the room of a credit that can no longer be made, on repeated calls too, and returns the answer. */
  async #released<Answer extends WithEntry<TransferResult> | Refusal>(
    { partner, id, amountWei }: PartnerTransaction,
    answer: Answer,
  ): Promise<Answer> {
    // After any other refusal the credit may still be made. One above a limit may be reserved: another call has been
    // refused.
    const isOver =
      isRefusal(answer) && ['transaction_rolled_back', 'payout_limit'].includes(answer.error.code)
    if (isOver && amountWei > 0n) await this.#release(partner, id)
    return answer
  }

  async #release(partner: string, id: string): Promise<void> {
    await afterCommit(async () => partnerLimit(this.#kernel.env, partner).release(id))
  }

  /** Undoes a transaction once, or prevents it permanently. */
  async rollback(rollback: Rollback): Promise<WithEntry<TransferResult> | Refusal> {
    const request = rollbackText(rollback)
    const { partner, token, originalId } = rollback
    const known = this.#known(rollback, request)
    if (known) {
      const hasArrived = this.#kernel.journal.has(operationId('bridge', partner, originalId))
      // The first call may have failed to.
      if (!isRefusal(known) && !hasArrived) await this.#release(partner, originalId)
      return known
    }
    if (this.#kernel.isReserved) return LEDGER_FULL
    const original = this.#stored(partner, originalId)
    // The transaction to undo was lost.
    if (original && isRefusal(original.result) && isAnswerLost(original.result)) {
      return original.result
    }
    // Whether a lost rollback has undone it is unknown.
    const lost = this.#stored(partner, undoId(originalId))
    if (lost && isRefusal(lost.result)) return lost.result
    const planned = this.#reversal(rollback)
    const days = refundDays(original?.at, this.#kernel.clock.now())
    const credit = { id: undoId(originalId), days }
    const prepared = planned === 0n ? READY : await this.#prepare(rollback, planned, credit)
    if (!prepared.isReady) return prepared.refusal
    // Another rollback may have undone it meanwhile. If nothing was planned, no other call ran in between.
    const amountWei = this.#reversal(rollback)
    invariant(
      amountWei === planned || amountWei === 0n,
      'a rollback moves the planned amount or nothing',
    )
    const at = this.#kernel.clock.now()
    const isLate = isLateReversal(amountWei, original?.at ?? 0, at)
    let answer = this.#known(rollback, request) ?? (isLate ? this.#barLate(rollback) : null)
    if (!answer) {
      const refusal =
        amountWei === 0n
          ? null
          : (prepared.refusal ?? this.#checkReversal(rollback, amountWei, isLate))
      answer = this.#record(rollback, { request, at, refusal, amountWei }, () => {
        this.#undo(rollback, isLate ? 0n : amountWei)
        if (isLate) this.#debits.count(partner, token, at, -amountWei)
      })
    }
    if (!original || isRefusal(original.result)) {
      // Nothing stays reserved for an original that can no longer arrive.
      await this.#release(partner, originalId)
    }
    return answer
  }

  /** Returns whether a transaction was rolled back, perhaps before it arrived. */
  isUndone(partner: string, id: string): boolean {
    const rows = this.#sql.exec('SELECT 1 FROM undone WHERE partner = ? AND id = ?', partner, id)
    return hasRow(rows)
  }

  /** Marks a transaction as rolled back, in its caller's transaction. One that arrives later is refused. */
  markUndone(partner: string, id: string): void {
    this.#sql.exec('INSERT OR IGNORE INTO undone (partner, id) VALUES (?, ?)', partner, id)
  }

  /** Returns a page of a partner's movements, oldest first. A page may be empty without being the last. */
  statement(query: StatementQuery): StatementPage {
    const { journal } = this.#kernel
    const entries: StatementEntry[] = []
    let seq = journal.latest().seq + 1
    for (const entry of journal.pageAt(query.from, query.cursor, STATEMENT_LOOK)) {
      if (entry.at >= query.to) return { entries, next: null }
      if (entries.length === query.limit) break
      const found = statementEntry(entry, query)
      if (found) entries.push(found)
      seq = entry.seq + 1
    }
    return { entries, next: seq > journal.latest().seq ? null : seq - 1 }
  }

  /** Prepares a wallet's first movement. A refusal that isn't stored makes no tables; a debit has to make them. */
  async #prepareUnopened(transaction: PartnerTransaction): Promise<Prepared | null> {
    const refusal = this.#bar(transaction, false)
    if (refusal) return { isReady: false, refusal }
    const { amountWei, limits } = transaction
    const mayCredit = amountWei > 0n && amountWei <= limits.transactionWei
    return mayCredit ? this.#prepareTransaction(transaction) : null
  }

  #prepareTransaction(transaction: PartnerTransaction): Promise<Prepared> {
    const { id, amountWei } = transaction
    const days = [dayAt(this.#kernel.clock.now())]
    return this.#prepare(transaction, amountWei, { id, days })
  }

  /** Waits for a movement's preconditions: the limit's approval of a credit, or pending chips. */
  async #prepare(
    transfer: TransferRequest,
    amountWei: bigint,
    credit: Pick<Credit, 'id' | 'days'>,
  ): Promise<Prepared> {
    const { token } = transfer
    if (amountWei > 0n) {
      const parts = { vaultTransactions: this.#vaultTransactions, debits: this.#debits }
      const refusal = await reserveCredit(this.#kernel, parts, {
        ...transfer,
        amountWei,
        ...credit,
      })
      return refusal?.error.code === 'rate_limited'
        ? { isReady: false, refusal }
        : { isReady: true, refusal }
    }
    const isShort = () => this.#chips(token) + amountWei < 0n
    if (isShort() && !(await this.#refill.bringIn(0)) && isShort()) return NOT_COUNTED
    return amountWei < 0n && this.#vaultTransactions.hasMissingDeposit() ? DEPOSIT_MISSING : READY
  }

  /**
   * Refuses a debit without permission, against the player's limits, or while the operator takes none; and a
   * credit from a partner that is closed. Stores nothing and doesn't open the ledger.
   */
  #bar(transaction: PartnerTransaction, isUndone: boolean): Refusal | null {
    const { partner, token, amountWei, debits, modes } = transaction
    if (isUndone) return null
    const at = this.#kernel.clock.now()
    const name = partnerSwitch(partner)
    if (amountWei >= 0n) return checkNotClosed(modes, this.#gate.switches(name, token), at)
    const permit = this.#permissions.permit(partner, token)
    const refusal =
      checkDebitAllowed(debits, permit, at) ??
      this.#gate.refusal({ token, amountWei: -amountWei, at, isDebit: true, name, modes })
    if (refusal) logRefusedDebit(this.#kernel, transaction, refusal)
    return refusal
  }

  /** Refuses a late reversal where a debit is refused, except by the player's limits: a rollback is no stake. */
  #barLate({ partner, token, debits, modes }: Rollback): Refusal | null {
    const at = this.#kernel.clock.now()
    return (
      checkNotClosed(modes, this.#gate.switches(partnerSwitch(partner), token), at) ??
      checkDebitAllowed(debits, this.#permissions.permit(partner, token), at) ??
      this.#gate.frozen()
    )
  }

  #checkReversal(rollback: Rollback, amountWei: bigint, isLate: boolean): Refusal | null {
    const { token } = rollback
    return isLate
      ? this.#checkDebit({ ...rollback, amountWei }, ROLL_BACK_LATER)
      : checkChips(token, amountWei, this.#chips(token), ROLL_BACK_LATER)
  }

  /** Checks a debit against the player's permission, then the chips, then the operator's limit. */
  #checkDebit({ partner, token, amountWei, debits }: Debit, advice?: string): Refusal | null {
    if (amountWei >= 0n) return null
    const permit = this.#permissions.permit(partner, token)
    const recent = this.#debits.recent(partner, token)
    return (
      checkPermitted(-amountWei, debits, permit, recent) ??
      checkChips(token, amountWei, this.#chips(token), advice) ??
      checkHour(-amountWei, debits, recent)
    )
  }

  #known(transfer: TransferRequest, request: string): WithEntry<TransferResult> | Refusal | null {
    const stored = this.#stored(transfer.partner, transfer.id)
    if (!stored) return null
    if (stored.request !== request) return usedOtherwise(transfer.id)
    const { result } = stored
    return isRefusal(result) ? result : { ...result, entry: entryRef(stored) }
  }

  /** Records, in one transaction, the movement or its refusal, and the movement's other consequences. */
  #record(
    { partner, id, token, terms }: TransferRequest,
    { request, at, refusal, amountWei, change = {} }: DecidedTransfer,
    follow: () => void,
  ): WithEntry<TransferResult> | Refusal {
    const beforeWei = this.#chips(token)
    const movedWei = refusal ? 0n : amountWei
    const [before, after] = [beforeWei.toString(), (beforeWei + movedWei).toString()]
    const result: TransferAnswer = refusal ?? {
      ok: true,
      version: 1,
      id,
      token,
      beforeWei: before,
      afterWei: after,
    }
    const { journal } = this.#kernel
    this.#kernel.commit(at, () => {
      const postings = transferPostings(token, movedWei)
      const operation = { id: operationId('bridge', partner, id), request, at, terms }
      journal.record(operation, { postings, result }, refusal ? {} : change)
      if (!refusal) follow()
    })
    return isRefusal(result) ? result : { ...result, entry: entryRef(journal.latest()) }
  }

  #reversal({ partner, originalId }: Rollback): bigint {
    const isUndone = this.isUndone(partner, originalId)
    return reversal(this.#stored(partner, originalId), isUndone)
  }

  #stored(partner: string, id: string) {
    return this.#kernel.journal.find<TransferAnswer>(operationId('bridge', partner, id))
  }

  /**
   * Marks an original as undone. While the original counts for limits, its reversal changes the room that they leave.
   */
  #undo({ partner, token, originalId }: Rollback, returnedWei: bigint): void {
    this.markUndone(partner, originalId)
    const original = this.#stored(partner, originalId)
    if (!original) return
    const { at } = original
    if (returnedWei > 0n) this.#debits.giveBack(partner, token, at, returnedWei)
    if (returnedWei < 0n) this.#debits.countReversal(partner, token, at, -returnedWei)
  }

  #chips(token: Token): bigint {
    return this.#kernel.journal.balances()[token].chips
  }
}
