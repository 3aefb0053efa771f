import type { JournalEntry } from '../ledger/journal.ts'
import { transferKey, type TransferAnswer, type Transferred } from '../ledger/transfer.ts'
import { isRefusal } from '../core/refusal.ts'
import type { Token } from '../money/token.ts'

/** Which entries of a player's journal a partner asks for. */
export interface StatementQuery {
  partner: string
  token: Token
  /** From this time on, and before that one, in unix milliseconds. */
  from: number
  to: number
  /** The entry to go on after; 0 for the first page. */
  cursor: number
  limit: number
}

/** An entry as its partner's books should have it too. */
export interface StatementEntry {
  transferred: Transferred
  /** The transaction that a rollback was about; null where the entry is a transaction itself. */
  originalId: string | null
  /** In unix milliseconds. */
  at: number
  cursor: number
}

/** One page of a statement. */
export interface StatementPage {
  /** Oldest first. */
  entries: StatementEntry[]
  /** Where the next page goes on; null where this is the last. */
  next: number | null
}

/** Returns what a journal's entry says of a partner's transaction in a token; null where it is none, or was refused. */
export function statementEntry(
  { seq, operationId, request, result, at }: JournalEntry,
  { partner, token }: Pick<StatementQuery, 'partner' | 'token'>,
): StatementEntry | null {
  if (!operationId.startsWith(transferKey(partner, ''))) return null
  const [type, entryToken, subject] = JSON.parse(request) as [string, Token, string]
  const answer = JSON.parse(result) as TransferAnswer
  if (entryToken !== token || isRefusal(answer)) return null
  const originalId = type === 'rollback' ? subject : null
  return { transferred: answer, originalId, at, cursor: seq }
}
