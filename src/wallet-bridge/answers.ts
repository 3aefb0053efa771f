import type { StatementPage } from './statement.ts'
import type { Token } from '../money/token.ts'
import { wholeUnits } from '../money/whole-units.ts'

/** The chips before and after a transaction, in smallest units. */
export interface Movement {
  token: Token
  beforeWei: bigint
  afterWei: bigint
}

/** Builds the answer's body for a transaction or rollback. Its numbers are exact decimals. */
export function transferBody(id: string, { token, beforeWei, afterWei }: Movement): string {
  return (
    `{"partnerTransactionId":${JSON.stringify(id)},` +
    `"balance":${wholeUnits(afterWei, token)},"balanceBefore":${wholeUnits(beforeWei, token)},` +
    `"balanceWei":"${afterWei}","balanceBeforeWei":"${beforeWei}"}`
  )
}

export function balanceBody(token: Token, balanceWei: bigint): string {
  return `{"balance":${wholeUnits(balanceWei, token)},"balanceWei":"${balanceWei}"}`
}

export function statementBody({ entries, next }: StatementPage): string {
  return `{"entries":[${entries.join(',')}],"next":${next}}`
}
