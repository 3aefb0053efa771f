import type { VaultMovement, VaultTransaction } from '../../src/ledger/deposit.ts'
import type { VaultEvent } from '../../src/vault/events.ts'
import { isMovement } from './rows.ts'
import type { VaultWatchStore } from './store.ts'

/**
 * Returns an account's transaction as its ledger accepts it, and separately the movements that the chain has dropped:
 * none if no ledger has credited any of it.
 */
export function transactionOf(
  store: VaultWatchStore,
  vaultId: string,
  { account, txHash }: { account: string; txHash: string },
): { transaction: VaultTransaction; dropped: VaultMovement[] } {
  const events = store.ofTransaction(account, txHash).filter(isMovement)
  const there = events.filter(({ isOnChain }) => isOnChain)
  const { version, isCredited } = store.reported(account, txHash)
  const transaction = {
    vaultId,
    txHash,
    version,
    // A transaction mined again for another wallet leaves nothing for this one.
    isOnChain: there.length > 0,
    movements: there.map(movementOf),
  }
  const dropped = isCredited ? events.filter(({ isOnChain }) => !isOnChain) : []
  return { transaction, dropped: dropped.map(movementOf) }
}

/** Returns an event as a ledger's movement. The position of an event whose place another one has taken is negative. */
function movementOf({ kind, position, token, amountWei }: VaultEvent): VaultMovement {
  return { kind, position: Math.max(position, 0), token, amountWei } as VaultMovement
}
