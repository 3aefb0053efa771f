import { loadConfig } from '../../src/config/load.ts'
import { invariant } from '../../src/core/invariant.ts'
import { refuse, type Refusal } from '../../src/core/refusal.ts'
import { postingsOf } from '../../src/ledger/accounts.ts'
import { operationId } from '../../src/ledger/operation.ts'
import type { Token } from '../../src/money/token.ts'
import type { LedgerKernel } from './kernel.ts'
import type { Limits } from './limits.ts'

/** Credits development chips, once for each id, as a deposit would. Local play only. */
export function creditFromFaucet(
  kernel: LedgerKernel,
  limits: Limits,
  id: string,
  token: Token,
  amountWei: bigint,
): Refusal | null {
  invariant(loadConfig(kernel.env).environment === 'local', 'the faucet works in local play only')
  kernel.open()
  const { journal } = kernel
  const operation = {
    id: operationId('faucet', id),
    request: JSON.stringify([token, amountWei.toString()]),
    at: kernel.clock.now(),
  }
  const stored = journal.find(operation.id)
  if (stored) {
    return stored.request === operation.request
      ? null
      : refuse('idempotency_conflict', 'This id was used for another amount or token.')
  }
  const { amountWei: quarantinedWei, change } = limits.quarantined({
    token,
    amountWei,
    at: operation.at,
  })
  const postings = postingsOf(
    token,
    ['faucet', 'chips', amountWei - quarantinedWei],
    ['faucet', 'quarantine', quarantinedWei],
  )
  kernel.commit(operation.at, () => {
    journal.record(operation, { postings, result: 'credited' }, change)
  })
  return null
}
