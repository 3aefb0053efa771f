import { isRefusal, type Refusal } from '../../src/core/refusal.ts'
import type { PartnerTransaction } from '../../src/ledger/transfer.ts'
import { logEvent } from '../../src/log.ts'
import type { LedgerKernel } from './kernel.ts'

export function logRefusedDebit(
  kernel: LedgerKernel,
  transaction: PartnerTransaction,
  refusal: Refusal,
): void {
  logEvent('partner_debit_refused', fieldsOf(kernel, transaction, refusal))
}

/** Logs a transaction's answer if it refuses a credit. */
export function logRefusedCredit(
  kernel: LedgerKernel,
  transaction: PartnerTransaction,
  answer: Refusal | { ok: true },
): void {
  if (transaction.amountWei > 0n && isRefusal(answer))
    logEvent('partner_credit_refused', fieldsOf(kernel, transaction, answer))
}

function fieldsOf(
  { owner, wallet }: LedgerKernel,
  { partner, token, amountWei }: PartnerTransaction,
  { error: { code } }: Refusal,
) {
  const wei = amountWei < 0n ? -amountWei : amountWei
  return { object: owner.object, wallet, partner, token, amountWei: wei.toString(), code }
}
