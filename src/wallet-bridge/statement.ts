import type { JournalEntry } from '../ledger/journal.ts'
import { transferKey, type TransferAnswer } from '../ledger/transfer.ts'
import { isRefusal } from '../core/refusal.ts'
import type { Token } from '../money/token.ts'
import { wholeUnits } from '../money/whole-units.ts'

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

/** One page of a statement. */
export interface StatementPage {
  /** As JSON text, oldest first. */
  entries: string[]
  /** The cursor of the next page; null on the last page. */
  next: number | null
}

/**
 * Returns a journal entry as the partner's books should have it, as JSON text; null if the entry was
 * refused or belongs to another partner or token.
 */
export function statementEntry(
  { seq, operationId, request, result, at }: JournalEntry,
  { partner, token }: Pick<StatementQuery, 'partner' | 'token'>,
): string | null {
  if (!operationId.startsWith(transferKey(partner, ''))) return null
  const [type, entryToken, subject] = JSON.parse(request) as [string, Token, string]
  const answer = JSON.parse(result) as TransferAnswer
  if (entryToken !== token || isRefusal(answer)) return null
  const { balanceWei, balanceBeforeWei } = JSON.parse(answer.body) as Record<string, string>
  const amountWei = BigInt(balanceWei ?? 0) - BigInt(balanceBeforeWei ?? 0)
  const original = type === 'rollback' ? `,"originalTransactionId":${JSON.stringify(subject)}` : ''
  return (
    `${answer.body.slice(0, -1)},"type":"${type}"${original},` +
    `"amount":${wholeUnits(amountWei, token)},"amountWei":"${amountWei}","at":${at},"cursor":${seq}}`
  )
}
