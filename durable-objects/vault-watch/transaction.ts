import type { VaultMovement, VaultTransaction } from '../../src/ledger/deposit.ts'
import { isMovement } from './rows.ts'
import type { VaultWatchStore } from './store.ts'

/** Returns the current state of an account's transaction, as its ledger takes it. */
export function transactionOf(
  store: VaultWatchStore,
  vaultId: string,
  { account, txHash }: { account: string; txHash: string },
): VaultTransaction {
  const logs = store.ofTransaction(account, txHash).filter((log) => isMovement(log) && log.isThere)
  return {
    vaultId,
    txHash,
    version: store.version(account, txHash),
    // A transaction mined again for another wallet leaves nothing for this one.
    isOnChain: logs.length > 0,
    movements: logs.map(
      ({ kind, position, token, amountWei }) =>
        ({ kind, position, token, amountWei }) as VaultMovement,
    ),
  }
}
