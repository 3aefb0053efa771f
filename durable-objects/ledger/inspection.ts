import { ACCOUNTS } from '../../src/ledger/accounts.ts'
import type { Inspection } from '../../src/ledger/inspection.ts'
import { lastSeqOf, segmentOf } from '../../src/ledger/segment.ts'
import { TOTALS } from '../../src/ledger/totals.ts'
import { perToken } from '../../src/money/token.ts'
import type { Bets } from './bets.ts'
import type { Gate } from './gate.ts'
import type { Journal } from './journal.ts'
import type { LedgerKernel } from './kernel.ts'
import type { VaultTransactions } from './vault-transactions.ts'
import type { Withdrawals } from './withdrawals.ts'

interface Parts {
  bets: Bets
  gate: Gate
  vaultTransactions: VaultTransactions
  withdrawals: Withdrawals
}

const PAGE = 50
const MAX_WITHDRAWALS = 10

/**
 * Returns the state of a wallet's ledger, with a page of its journal. Reads one segment at most.
 * @param before only entries with lower numbers; null for the newest
 */
export function inspect(
  kernel: LedgerKernel,
  parts: Parts,
  before: number | null,
): Inspection | null {
  if (!kernel.isOpen) return null
  const { journal } = kernel
  const { seq, balances, totals } = journal.latest()
  return {
    entries: seq,
    balances: perToken((token) => textsOf(ACCOUNTS, balances[token])),
    totals: perToken((token) => textsOf(TOTALS, totals[token])),
    openBets: parts.bets.open.length,
    withdrawals: parts.withdrawals.newest(MAX_WITHDRAWALS),
    isFrozen: parts.gate.frozen() !== null,
    missingDeposits: parts.vaultTransactions.countMissing(),
    ...journalPage(journal, before),
  }
}

function journalPage(
  journal: Journal,
  before: number | null,
): Pick<Inspection, 'journal' | 'next'> {
  const last = Math.min(journal.latest().seq, (before ?? Infinity) - 1)
  const first = Math.max(1, last - PAGE + 1, lastSeqOf(segmentOf(last) - 1) + 1)
  const shown = journal
    .page(first, last - first + 1)
    .toReversed()
    .map(({ seq, at, operationId, postings, hash }) => ({ seq, at, operationId, postings, hash }))
  return { journal: shown, next: first > 1 ? first : null }
}

function textsOf<Name extends string>(
  names: readonly Name[],
  amounts: Record<Name, bigint>,
): Record<Name, string> {
  const texts = names.map((name) => [name, amounts[name].toString()])
  return Object.fromEntries(texts) as Record<Name, string>
}
