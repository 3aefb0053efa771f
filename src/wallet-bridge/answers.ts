import { invariant } from '../core/invariant.ts'
import { JsonNumber, writeJson } from '../core/json.ts'
import type { TransferResult } from '../ledger/transfer.ts'
import type { Token } from '../money/token.ts'
import { wholeUnits } from '../money/whole-units.ts'
import type { StatementEntry, StatementPage } from './statement.ts'

/** Answers a transaction or a rollback. A repetition is answered byte for byte like the first call. */
export function transferBody(transferred: TransferResult): string {
  return writeJson(transferFields(transferred))
}

export function balanceBody(token: Token, balanceWei: bigint): string {
  return writeJson({ balance: whole(balanceWei, token), balanceWei: balanceWei.toString() })
}

export function statementBody({ entries, next }: StatementPage): string {
  return writeJson({ entries: entries.map(entryFields), next })
}

/** The fields of an answer. If they change, this version stays for the answers that were written with it. */
function transferFields({ version, id, token, beforeWei, afterWei }: TransferResult) {
  invariant(version === 1, `answers of version ${version} are unknown here`)
  return {
    partnerTransactionId: id,
    balance: whole(BigInt(afterWei), token),
    balanceBefore: whole(BigInt(beforeWei), token),
    balanceWei: afterWei,
    balanceBeforeWei: beforeWei,
  }
}

function entryFields({ transferred, originalId, at, cursor }: StatementEntry) {
  const { token, beforeWei, afterWei } = transferred
  const amountWei = BigInt(afterWei) - BigInt(beforeWei)
  const isRollback = originalId !== null
  return {
    ...transferFields(transferred),
    type: isRollback ? 'rollback' : 'transaction',
    ...(isRollback ? { originalTransactionId: originalId } : {}),
    amount: whole(amountWei, token),
    amountWei: amountWei.toString(),
    at,
    cursor,
  }
}

/** An amount in whole tokens as an exact number. */
function whole(amountWei: bigint, token: Token): JsonNumber {
  return new JsonNumber(wholeUnits(amountWei, token))
}
