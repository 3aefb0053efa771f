import { operationId } from '../../src/ledger/operation.ts'
import { answerLost } from '../../src/ledger/restoration.ts'
import { isTransaction, reversal, undoId, type TransferAnswer } from '../../src/ledger/transfer.ts'
import type { Token } from '../../src/money/token.ts'
import type { Journal } from './journal.ts'
import { unlessArchived } from './segments.ts'
import type { Transfers } from './transfers.ts'

/** A partner's id and the canonical text of the request that used it. */
export interface LostTransfer {
  partner: string
  id: string
  request: string
}

/** The partners' ids that a ledger has forgotten by going back in time. Called in their caller's transaction. */
export class LostTransfers {
  readonly #journal: Journal
  readonly #transfers: Pick<Transfers, 'isUndone' | 'markUndone'>

  constructor(journal: Journal, transfers: Pick<Transfers, 'isUndone' | 'markUndone'>) {
    this.#journal = journal
    this.#transfers = transfers
  }

  /**
   * Marks ids as lost, and the transactions that lost rollbacks may have undone. Skips ids that the journal has, and
   * transactions that were rolled back before they arrived: the journal still answers these.
   */
  mark(transfers: readonly LostTransfer[], at: number): void {
    const lost = transfers.filter(({ partner, id }) => !this.#has(partner, id))
    for (const transfer of lost.filter(({ request }) => isTransaction(request))) {
      if (!this.#transfers.isUndone(transfer.partner, transfer.id)) this.#mark(transfer, at)
    }
    // Rollbacks come last, because marking them depends on their originals.
    for (const rollback of lost.filter(({ request }) => !isTransaction(request))) {
      this.#mark(rollback, at)
      this.#markOriginal(rollback, at)
    }
  }

  #markOriginal({ partner, request }: LostTransfer, at: number): void {
    const [, token, originalId] = JSON.parse(request) as [string, Token, string]
    const undo = undoId(originalId)
    // The rollback has prevented an original that never arrived, and must go on to.
    if (!this.#has(partner, originalId)) this.#transfers.markUndone(partner, originalId)
    else if (!this.#has(partner, undo) && this.#mayBeUndone(partner, token, originalId)) {
      this.#mark({ partner, id: undo, request }, at, originalId)
    }
  }

  /** Returns whether a lost rollback in a token may have moved chips. */
  #mayBeUndone(partner: string, token: Token, originalId: string): boolean {
    const isUndone = this.#transfers.isUndone(partner, originalId)
    // A restoration waits for no archive.
    return unlessArchived(() => {
      const original = this.#journal.find<TransferAnswer>(
        operationId('bridge', partner, originalId),
      )
      if (!original || reversal(original, isUndone) === 0n) return false
      const [, ofToken] = JSON.parse(original.request) as [string, Token]
      return ofToken === token
    }, !isUndone)
  }

  #mark({ partner, id, request }: LostTransfer, at: number, lostId = id): void {
    const operation = { id: operationId('bridge', partner, id), request, at }
    this.#journal.record(operation, { postings: [], result: answerLost(lostId) })
  }

  #has(partner: string, id: string): boolean {
    return this.#journal.has(operationId('bridge', partner, id))
  }
}
