import type { JournalEntry } from '../ledger/journal.ts'
import { transferKey, type TransferAnswer } from '../ledger/transfer.ts'
import { isRefusal } from '../core/refusal.ts'
import type { Token } from '../money/token.ts'
import { wholeUnits } from '../money/whole-units.ts'

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

/** One page of a statement. */
export interface StatementPage {
  /** JSON texts, oldest first. */
  entries: string[]
  /** Where the next page goes on; null where this is the last. */
  next: number | null
}

/**
 * An entry as its partner's books should have it too, as JSON text; null where it is none of this
 * partner's in this token, or where it was refused.
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
