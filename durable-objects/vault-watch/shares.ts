import { netOf } from '../../src/vault/events.ts'
import type { VaultSums } from '../../src/vault/trust.ts'
import type { SettledBlock, VaultWatchStore } from './store.ts'

/**
 * Returns the sum of all ledgers by the vault's events, and the shares of those that may not have reported yet.
 * @param unsettledFrom first deposits credited since then may be missing from the positions, in unix milliseconds
 * @param inProgress wallets that may be behind the chain for a reason the events don't show
 * @param others accounts whose own share is returned, too
 */
export function sharesOf(
  store: VaultWatchStore,
  { settled, unsettledFrom, now }: { settled: SettledBlock; unsettledFrom: number; now: number },
  { inProgress, others }: { inProgress: string[]; others: string[] },
): Pick<VaultSums, 'settledPlayers' | 'net' | 'recent' | 'others'> {
  const unsettled = store.unsettledAccounts(settled.block, unsettledFrom)
  const recent = new Set([...unsettled, ...inProgress])
  const rest = [...new Set(others)].filter((account) => !recent.has(account))
  return {
    settledPlayers: store.countPlayers([...recent]),
    net: netOf(store.sums.totals(settled)),
    recent: store.sums.ofAccounts([...recent], now),
    others: store.sums.ofAccounts(rest, now),
  }
}
