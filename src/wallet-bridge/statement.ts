import { isRefusal } from '../core/refusal.ts'
import type { StoredEntry } from '../ledger/journal.ts'
import { idPrefix } from '../ledger/operation.ts'
import type { TransferAnswer, TransferResult } from '../ledger/transfer.ts'
import type { Token } from '../money/token.ts'

/** A partner's query for entries in a player's journal. */
export interface StatementQuery {
  partner: string
  token: Token
  /** The range of times, including `from` and excluding `to`, in unix milliseconds. */
  from: number
  to: number
  /** The last entry of the previous page; 0 for the first page. */
  cursor: number
  limit: number
}

/** An entry as its partner's books should have it too. */
export interface StatementEntry {
  transferred: TransferResult
  /** The transaction that a rollback was about; null where the entry is a transaction itself. */
  originalId: string | null
  /** In unix milliseconds. */
  at: number
  cursor: number
}

export interface StatementPage {
  /** Oldest first. */
  entries: StatementEntry[]
  /** The cursor of the next page; null on the last page. */
  next: number | null
}

/**
 * Returns a journal entry as the partner's books should have it; null if the entry was refused or
 * belongs to another partner or token.
 */
export function statementEntry(
  { seq, operationId, request, result, at }: Omit<StoredEntry, 'head'>,
  { partner, token }: Pick<StatementQuery, 'partner' | 'token'>,
): StatementEntry | null {
  if (!operationId.startsWith(idPrefix('bridge', partner))) return null
  const [type, entryToken, subject] = JSON.parse(request) as [string, Token, string]
  const answer = JSON.parse(result) as TransferAnswer
  if (entryToken !== token || isRefusal(answer)) return null
  const originalId = type === 'rollback' ? subject : null
  return { transferred: answer, originalId, at, cursor: seq }
}
